import { isTinyAgentsError, type JsonObject, storeFailure } from "@tinyagents/core";
import { type OpenFile, openIfThere } from "./files.js";
import { KnownLines, type KnownLinesOptions } from "./known-lines.js";
import { decodeLine } from "./line.js";
import { encodeLines, type LinePlace, type LineStart, type NewLine, START, withFormat } from "./line-group.js";
import { scanLines } from "./scan.js";

/** A torn end of a file that was cut off. */
export interface Repair {
  /** Path of the file below the folder. */
  readonly file: string;
  /** The first line that was cut off, from 1. */
  readonly line: number;
  /** How many bytes were cut off. */
  readonly bytes: number;
}

/** Takes what a line says; `false` ends the reading behind it. */
export type OnObject = (object: JsonObject, place: LinePlace) => boolean;

export interface LineFileOptions extends KnownLinesOptions {
  readonly folder: string;
  /** Whether what is written is to survive a power cut. */
  readonly sync: boolean;
  readonly onRepair?: ((repair: Repair) => void) | undefined;
}

/** Ends the name of a file that is being written. Only who holds the lock makes them, and takes away what others left. */
export const UNFINISHED = ".new";
/** How often a reader starts anew when what it reads is not what the index says. */
const MOST_DOUBTS = 3;
/** How often a reader starts anew when the file is replaced under it. */
const MOST_STARTS = 20;

/**
 * A file of lines that only grows. Anybody may read at any time; only who holds the lock of the folder pins the file and
 * writes.
 */
export class LineFile {
  readonly #o: LineFileOptions;
  readonly #known: KnownLines;
  #pinned = false;
  #writer: OpenFile | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: LineFileOptions) {
    this.#o = options;
    this.#known = new KnownLines(options);
  }

  /** Whether there is a file with a first line. Holds after a look. */
  get exists(): boolean {
    return this.#known.tip.lines > 0;
  }

  /** Bytes up to the end of the last whole group. */
  get size(): number {
    return this.#known.tip.end;
  }

  /** What `take` sees in the index when all that was acknowledged is in it. `take` waits for nothing. */
  view<T>(take: () => T): Promise<T> {
    if (this.#pinned) return Promise.resolve(take());
    return this.#alone(async () => {
      if (!this.#pinned) await this.#known.look();
      return take();
    });
  }

  /** As {@link view}, and then reads the file that the index was about. Nothing when there is nothing to take. */
  async read<P, T>(take: () => P | undefined, use: (file: OpenFile, taken: P) => Promise<T>): Promise<T | undefined> {
    for (let start = 1; ; start++) {
      const seen = await this.view(() => ({ taken: take(), id: this.#known.id }));
      if (seen.taken === undefined) return undefined;
      const file = await openIfThere(this.#o.files, this.#o.path);
      try {
        if (file !== undefined && (await file.facts()).id === seen.id) return await use(file, seen.taken);
      } catch (error) {
        if (start >= MOST_DOUBTS || !isTinyAgentsError(error, "corrupt_data")) throw error;
        if (!this.#pinned) this.#known.forget();
      } finally {
        await file?.close();
      }
      if (start >= MOST_STARTS) throw this.#failure("read", new Error("it was replaced again and again"));
    }
  }

  /** The line at a place. @throws `corrupt_data` that names it. */
  async readLine(file: OpenFile, place: LinePlace): Promise<JsonObject> {
    const bytes = Buffer.allocUnsafe(place.length);
    const filled = await file.read(bytes, place.position);
    const line = decodeLine(bytes.subarray(0, Math.min(filled, place.length - 1)), place.before);
    if (filled === place.length && line !== undefined) return line.object;
    throw this.#known.corrupt(place.line);
  }

  /**
   * Lines from one on, until `onLine` gives `false`. Gives where to go on, or nothing at the end of the file.
   * @throws `corrupt_data` that names the line.
   */
  async readLines(file: OpenFile, from: LineStart, onLine: OnObject): Promise<LineStart | undefined> {
    let { before, line } = from;
    let goesOn = true;
    const { position } = await scanLines(file, from.position, (bytes, at) => {
      const read = decodeLine(bytes, before);
      if (read === undefined) throw this.#known.corrupt(line);
      goesOn = onLine(read.object, { position: at, length: bytes.byteLength + 1, line, before });
      before = read.crc;
      line++;
      return goesOn;
    });
    return goesOn ? undefined : { position, line, before };
  }

  /** Under the lock: brings the index up to date, cuts off a torn end, and keeps it so until {@link unpin}. */
  pin(): Promise<void> {
    if (this.#pinned) return Promise.resolve();
    return this.#alone(async () => {
      await this.#known.look();
      if (this.#known.tornBytes > 0) await this.#cut();
      this.#pinned = true;
    });
  }

  /** Before the lock is let go. */
  async unpin(): Promise<void> {
    // Without these facts the next look reads the end of the file again, and finds nothing new.
    const facts = this.#pinned ? await this.#writer?.facts().catch(() => undefined) : undefined;
    if (facts !== undefined) this.#known.wroteLast(facts);
    this.#pinned = false;
    await this.#closeWriter();
  }

  /**
   * Pinned: writes whole groups at the end, all or, when it throws, none. Each line says how many of its group follow
   * ({@link followedBy}). The first line of a new file is `header`.
   */
  async append(lines: readonly NewLine[], header: () => NewLine): Promise<void> {
    if (!this.exists) return this.#create([withFormat(header(), this.#o.index.format), ...lines]);
    const { bytes, placed, tip } = encodeLines(lines, this.#known.tip);
    const file = await this.#openWriter();
    try {
      await file.write(bytes, this.#known.tip.end);
      if (this.#o.sync) await file.sync();
    } catch (error) {
      await this.#rollBack(file);
      throw error;
    }
    this.#known.wrote(placed, tip);
  }

  /** Pinned: puts a file with the same content in the place of the one there is, whole or not at all. */
  replace(header: NewLine, batches: AsyncIterable<readonly NewLine[]>): Promise<void> {
    const first = withFormat(header, this.#o.index.format);
    return this.#put(async (write) => {
      await write([first]);
      for await (const lines of batches) await write(lines);
    });
  }

  /** Pinned: takes the file away. */
  async remove(): Promise<void> {
    const { files, path, folder, sync } = this.#o;
    await this.#closeWriter();
    await files.remove(path);
    this.#known.forget();
    if (sync) await files.syncFolder(folder);
  }

  /** How errors name a line. */
  where(line: number): string {
    return this.#known.where(line);
  }

  async #create(lines: readonly NewLine[]): Promise<void> {
    try {
      await this.#put((write) => write(lines));
    } catch (error) {
      // It may be there already, with its folder not synced. Nobody was told that it is.
      await this.#o.files.remove(this.#o.path).catch(() => undefined);
      throw error;
    }
  }

  /** Writes a file beside the one there is, and gives it its name when it is whole. */
  async #put(fill: (write: (lines: readonly NewLine[]) => Promise<void>) => Promise<void>): Promise<void> {
    const { files, path, folder, sync } = this.#o;
    const temporary = `${path}${UNFINISHED}`;
    await files.remove(temporary);
    const file = await files.open(temporary, "create");
    try {
      let tip = START;
      await fill(async (lines) => {
        const encoded = encodeLines(lines, tip);
        await file.write(encoded.bytes, tip.end);
        tip = encoded.tip;
      });
      if (sync) await file.sync();
    } catch (error) {
      // What cannot be taken away is no more than a name that a later writer takes away.
      await files.remove(temporary).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
    await this.#closeWriter();
    await this.#alone(async () => {
      this.#pinned = false;
      await files.rename(temporary, path);
      if (sync) await files.syncFolder(folder);
      await this.#known.look();
      this.#pinned = true;
    });
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Takes off what is left of a write that was not finished, and so was never acknowledged. */
  async #cut(): Promise<void> {
    const { files, path, name, onRepair } = this.#o;
    const repair = { file: name, line: this.#known.tip.lines + 1, bytes: this.#known.tornBytes };
    if (!this.exists) {
      await files.remove(path);
      this.#known.forget();
    } else {
      const file = await this.#openWriter();
      await file.truncate(this.#known.tip.end);
      if (this.#o.sync) await file.sync();
      this.#known.cut();
    }
    onRepair?.(repair);
  }

  async #rollBack(file: OpenFile): Promise<void> {
    try {
      await file.truncate(this.#known.tip.end);
      if (this.#o.sync) await file.sync();
      this.#known.cut();
    } catch {
      // Nothing can be said of the file any more: whoever uses it next reads it anew, from its start.
      this.#pinned = false;
      this.#known.forget();
      await this.#closeWriter();
    }
  }

  async #openWriter(): Promise<OpenFile> {
    this.#writer ??= await this.#o.files.open(this.#o.path, "write");
    return this.#writer;
  }

  async #closeWriter(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    // What was acknowledged is written; closing tells nothing that syncing did not.
    await writer?.close().catch(() => undefined);
  }

  #failure(operation: string, error: unknown): Error {
    return storeFailure(this.#o.name, operation, error, { retryable: true });
  }
}
