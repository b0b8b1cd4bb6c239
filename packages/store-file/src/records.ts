import type { CheckedDelete, CheckedListQuery, CheckedPut, Clock, StoreKey, StoreVersion } from "@tinyagents/core";
import { writeContent } from "./content.js";
import type { Files } from "./files.js";
import { OwnFolder } from "./own-folder.js";
import { type OpenRecord, placeOf, RecordReader } from "./record-folder.js";
import { RecordWriter } from "./record-writer.js";
import { KeyWalk } from "./walk.js";

/** The bytes of a value, as they come. */
export interface NewContent {
  readonly pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly encoding?: "utf-16le";
}

export interface RecordsOptions {
  readonly files: Files;
  /** The folder of the store, without symbolic links. It is there. */
  readonly root: string;
  readonly clock: Clock;
  readonly sync: boolean;
}

/** The records of a folder that is there. */
export class Records {
  readonly #o: RecordsOptions;
  readonly #own: OwnFolder;
  readonly #reader: RecordReader;
  readonly #writer: RecordWriter;
  readonly #walk: KeyWalk;

  constructor(options: RecordsOptions) {
    const { files, root, clock } = options;
    this.#o = options;
    this.#reader = new RecordReader(files, root);
    this.#own = new OwnFolder(files, root, (path) => this.#writer.tidyAfter(path));
    this.#writer = new RecordWriter({ ...options, reader: this.#reader, own: this.#own, now: () => clock.now() });
    this.#walk = new KeyWalk(files, root, this.#reader);
  }

  /** Writes the content, and then lets it take effect. */
  async put(checked: CheckedPut, content: NewContent, signal: AbortSignal | undefined): Promise<StoreVersion> {
    const { files, clock, sync } = this.#o;
    if (checked.ifVersion !== undefined) await this.#writer.check(checked);
    const path = await this.#own.newPath();
    const updatedAtMs = clock.now();
    const { key, value, attributes, ttlMs } = checked;
    const { pieces, ...encoding } = content;
    try {
      const file = await files.open(path, "create");
      try {
        await writeContent(file, { key, type: value.type, ...encoding, attributes, updatedAtMs }, pieces);
        if (sync) await file.sync();
      } finally {
        await file.close();
      }
      const expiresAtMs = ttlMs === undefined ? undefined : expiry(updatedAtMs + ttlMs);
      return await this.#writer.put({ ...checked, content: path, expiresAtMs, signal });
    } finally {
      // A second name of what took effect, or nobody's; left, it goes with the folder that it is in.
      await files.remove(path).catch(() => undefined);
    }
  }

  delete(checked: CheckedDelete, signal: AbortSignal | undefined): Promise<boolean> {
    return this.#writer.delete({ ...checked, signal });
  }

  /** Opens the record of a key for as long as it is used. Nothing when there is none. */
  async use<T>(key: StoreKey, use: (record: OpenRecord) => Promise<T>): Promise<T | undefined> {
    const record = await this.#reader.open(placeOf(this.#o.root, key), this.#o.clock.now());
    if (record === undefined) return undefined;
    if (record === "expired") {
      // Who may only read leaves it to others.
      await this.#writer.expire(key).catch(() => undefined);
      return undefined;
    }
    try {
      return await use(record);
    } finally {
      await record.file.close();
    }
  }

  /** Opens one version; when it is not there any more, gives the one that is: `null` for none. */
  async openVersion(
    key: StoreKey,
    version: StoreVersion,
  ): Promise<OpenRecord | { readonly found: StoreVersion | null }> {
    const place = placeOf(this.#o.root, key);
    const opened = await this.#reader.openVersion(place, { version });
    return opened ?? { found: (await this.#reader.current(place))?.version ?? null };
  }

  /** The keys that may have a record, in order. */
  keys(query: Omit<CheckedListQuery, "where" | "limit">): AsyncIterable<StoreKey> {
    return this.#walk.keys(query);
  }

  /** Takes away what this one has left. */
  close(): Promise<void> {
    return this.#own.remove();
  }
}

/** Whole ms: a record that is to go between two is there at the first and gone at the second. */
function expiry(atMs: number): number {
  return Math.min(Math.ceil(atMs), Number.MAX_SAFE_INTEGER);
}
