import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import {
  type CheckedWrite,
  recordName,
  type StoreKey,
  type StoreVersion,
  storeFailure,
  storeKeyText,
  systemCodeOf,
  throwIfAborted,
  writeConflict,
} from "@tinyagents/core";
import { readHead } from "./content.js";
import { type Files, MISSING, unless } from "./files.js";
import type { OwnFolder } from "./own-folder.js";
import {
  type Current,
  contentPath,
  hasExpired,
  placeOf,
  type RecordPlace,
  type RecordReader,
  versionName,
} from "./record-folder.js";
import { Turns } from "./turns.js";

/** The condition of a write. */
type Condition = Pick<CheckedWrite, "key" | "ifVersion">;

/** A put whose content is in a file of its own. */
export interface NewVersion extends Condition {
  readonly content: string;
  readonly expiresAtMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RecordWriterParts {
  readonly files: Files;
  readonly root: string;
  readonly reader: RecordReader;
  readonly own: OwnFolder;
  /** Whether what was acknowledged is to survive a power cut. */
  readonly sync: boolean;
  now(): number;
}

/** A folder is there already. Windows says of it that it may not be replaced. */
const TAKEN: readonly string[] = ["ENOTEMPTY", "EEXIST", ...(process.platform === "win32" ? ["EPERM"] : [])];
/** Somebody else gets on each time, so this is more often than anybody waits for. */
const MOST_TRIES = 1_000;

/** Replaces versions, each at one moment and only where the condition holds. */
export class RecordWriter {
  readonly #parts: RecordWriterParts;
  readonly #turns = new Turns();

  constructor(parts: RecordWriterParts) {
    this.#parts = parts;
  }

  /** @throws `conflict` unless the condition of a write holds now. Gives what is there, expired or not. */
  async check({ key, ifVersion }: Condition): Promise<Current | undefined> {
    const { reader, root, now } = this.#parts;
    const found = await reader.current(placeOf(root, key));
    const version = found === undefined || hasExpired(found, now()) ? null : found.version;
    if (ifVersion !== undefined && ifVersion !== version) throw writeConflict(recordName(key), ifVersion, version);
    return found;
  }

  /** Lets the content take effect. Once it resolves it stays. */
  put(write: NewVersion): Promise<StoreVersion> {
    const version = versionName(randomBytes(12).toString("hex"), write.expiresAtMs);
    return this.#untilDone(
      write.key,
      async (place) => {
        throwIfAborted(write.signal);
        const found = await this.check(write);
        if (found === undefined) return (await this.#create(place, version, write.content)) ? version : undefined;
        if (!(await this.#replace(place, found.version, version, write.content))) return undefined;
        // It has taken effect: what is not tidied now is by the next write of the record.
        await this.#parts.files.remove(write.content).catch(() => undefined);
        await this.#tidy(place).catch(() => undefined);
        return version;
      },
      (place) => this.#withdraw(place, version),
    );
  }

  /** Whether there was a record to take away. */
  delete(write: Condition & Pick<NewVersion, "signal">): Promise<boolean> {
    return this.#untilDone(write.key, async (place) => {
      throwIfAborted(write.signal);
      const found = await this.check(write);
      if (found === undefined) return false;
      const wasThere = !hasExpired(found, this.#parts.now());
      return (await this.#take(place, found.version)) ? wasThere : undefined;
    });
  }

  /** Takes away a record whose time is over, if it is still there. */
  async expire(key: StoreKey): Promise<void> {
    const place = placeOf(this.#parts.root, key);
    const found = await this.#parts.reader.current(place);
    if (found !== undefined && hasExpired(found, this.#parts.now())) await this.#take(place, found.version);
  }

  /** Takes away what a writer that was killed has left beside a version. */
  async tidyAfter(path: string): Promise<void> {
    const { files, root, reader } = this.#parts;
    const facts = await files.facts(path);
    if (facts?.kind !== "file" || facts.links < 2) return;
    const file = await files.open(path, "read");
    try {
      const place = placeOf(root, (await readHead(file, reader.nameOf(path))).key);
      await this.#tidy(place, facts.id);
      await this.#prune(place);
    } finally {
      await file.close();
    }
  }

  /** Tries again as long as others are faster. */
  #untilDone<T>(
    key: StoreKey,
    attempt: (place: RecordPlace) => Promise<T | undefined>,
    withdraw: (place: RecordPlace) => Promise<void> = async () => undefined,
  ): Promise<T> {
    const place = placeOf(this.#parts.root, key);
    return this.#turns.take(storeKeyText(key), async () => {
      try {
        for (let tries = 1; tries <= MOST_TRIES; tries++) {
          const done = await attempt(place);
          if (done !== undefined) return done;
        }
      } catch (error) {
        await withdraw(place).catch(() => undefined);
        throw error;
      }
      const name = this.#parts.reader.nameOf(place.at);
      throw storeFailure(
        "file store",
        "write",
        new Error(`others changed ${name} again and again, or it has files that are not ours`),
        {
          retryable: true,
        },
      );
    });
  }

  /** Puts a folder with the first version in the place where there is none; whether nobody else was faster. */
  async #create(place: RecordPlace, version: string, content: string): Promise<boolean> {
    const { files, own, reader, sync } = this.#parts;
    const fresh = await own.newPath();
    try {
      await files.makeFolder(fresh);
      await files.makeFolder(join(fresh, version));
      await files.link(content, join(fresh, version, version));
      if (sync) for (const folder of [join(fresh, version), fresh]) await files.syncFolder(folder);
      if (!(await reader.isFolder(place.folder))) await this.#makeFolders(place.folder);
      if (!(await reader.isFolder(place.folder))) return false;
      await files.rename(fresh, place.at);
    } catch (error) {
      await files.remove(fresh);
      // Where an empty folder is in the way of another, it has to go first.
      if (TAKEN.includes(systemCodeOf(error) ?? "")) await files.removeEmpty(place.at);
      else if (!MISSING.includes(systemCodeOf(error) ?? "")) throw error;
      return false;
    }
    if (sync) await this.#orUndo(files.syncFolder(place.folder), () => this.#take(place, version));
    return true;
  }

  /** Puts the content beside that of a version, and makes it the version that is there; whether nobody else was faster. */
  async #replace(place: RecordPlace, from: string, version: string, content: string): Promise<boolean> {
    const { files, reader, sync } = this.#parts;
    const [old, next] = [join(place.at, from), join(place.at, version)];
    if (!(await reader.isFolder(old))) return false;
    const isThere = await unless(
      MISSING,
      files
        .link(content, contentPath(place, version, from))
        .then(() => true)
        .catch(unlessTaken),
    );
    if (isThere === undefined) return false;
    if (
      sync &&
      (await unless(
        MISSING,
        files.syncFolder(old).then(() => true),
      )) === undefined
    )
      return false;
    if (
      (await unless(
        MISSING,
        files.rename(old, next).then(() => true),
      )) === undefined
    )
      return false;
    if (sync) await this.#orUndo(files.syncFolder(place.at), () => files.rename(next, old));
    return true;
  }

  /** Takes a version away; whether nobody else was faster. */
  async #take(place: RecordPlace, version: string): Promise<boolean> {
    const { files, own, reader, sync } = this.#parts;
    const old = join(place.at, version);
    if (!(await reader.isFolder(old))) return false;
    const gone = await own.newPath();
    if (
      (await unless(
        MISSING,
        files.rename(old, gone).then(() => true),
      )) === undefined
    )
      return false;
    if (sync) await files.syncFolder(place.at);
    // Nobody sees it any more; what cannot be taken away now goes with the folder that it is in.
    await files.remove(gone).catch(() => undefined);
    await this.#prune(place).catch(() => undefined);
    return true;
  }

  /** What could not be made to last is taken back, as far as that can be. */
  async #orUndo(work: Promise<void>, undo: () => Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      await undo().catch(() => undefined);
      throw error;
    }
  }

  /** Takes back content that was put beside a version and did not take effect. */
  async #withdraw(place: RecordPlace, version: string): Promise<void> {
    const { files, reader } = this.#parts;
    const found = await reader.current(place);
    if (found !== undefined && found.version !== version)
      await files.remove(contentPath(place, version, found.version));
  }

  /**
   * Takes away content beside that of the version that is there, when nobody will ask for it: it has no second name, as that
   * of a writer under way has, or is the file of one that is gone. The path has the version in it, so that it leads nowhere as soon
   * as another is there.
   */
  async #tidy(place: RecordPlace, leftOver?: string): Promise<void> {
    const { files, reader } = this.#parts;
    const found = await reader.current(place);
    if (found === undefined) return;
    const folder = join(place.at, found.version);
    for (const name of await files.names(folder)) {
      const path = join(folder, name);
      const facts = name === found.version ? undefined : await files.facts(path);
      if (facts !== undefined && (facts.links === 1 || facts.id === leftOver)) await files.remove(path);
    }
  }

  /** Takes away the folders of a key in which nothing is any more. */
  async #prune({ at, folder }: RecordPlace): Promise<void> {
    const { files, root } = this.#parts;
    await files.removeEmpty(at);
    for (let empty = folder; empty !== root && (await files.removeEmpty(empty)); ) empty = dirname(empty);
  }

  async #makeFolders(folder: string): Promise<void> {
    const { files, root, reader, sync } = this.#parts;
    if (folder === root) return;
    const above = dirname(folder);
    if (!(await reader.isFolder(above))) await this.#makeFolders(above);
    const isNew = await files.makeFolder(folder);
    if (isNew && sync) await files.syncFolder(above);
  }
}

function unlessTaken(error: unknown): boolean {
  if (TAKEN.includes(systemCodeOf(error) ?? "")) return true;
  throw error;
}
