import { corruptData, isTinyAgentsError, type JsonObject, readVersion, systemClock } from "@tinyagents/core";
import { type FileFacts, type Files, isSameFile, type OpenFile, openIfThere } from "./files.js";
import { decodeLine, lineEnd } from "./line.js";
import { FORMAT_VERSION, type LinePlace, type PlacedLine, START, type Tip } from "./line-group.js";
import { scanLines } from "./scan.js";

/** What is known of a file's lines. Told each whole group once, in order. */
export interface LineIndex {
  /** What the first line says that the file is. */
  readonly format: string;
  /** Forgets all. */
  reset(): void;
  /** The first line of a file. @param where names it, for errors. */
  header(object: JsonObject, where: string): void;
  apply(object: JsonObject, place: LinePlace, nameLine: NameLine): void;
}

/** How errors name a line, by its number. */
export type NameLine = (line: number) => string;

/** A file of lines, and what is told of it. */
export interface KnownLinesOptions {
  readonly files: Files;
  readonly path: string;
  /** How errors and repairs name it. */
  readonly name: string;
  readonly index: LineIndex;
}

/** How often a file is read again that another process may be writing to, and the wait between, ms. */
const LOOKS = 3;
const LOOK_AGAIN_MS = 10;

/**
 * How far a file is known, and the index of what is in it. A look reads only what is new; where the file is another, or
 * does not go on from what is known, it is read from its start. A group of lines counts when all of it is there: each line
 * but the last of a group says how many are still to come (`more`). What is behind the last whole group, without a whole
 * line behind it, is torn; a whole line that does not prove itself is damage.
 */
export class KnownLines {
  readonly #options: KnownLinesOptions;
  #tip = START;
  #id: string | undefined;
  /** The file as it was when all of it was read. */
  #facts: FileFacts | undefined;
  /** The file as it was when it was last opened. */
  #opened: FileFacts | undefined;
  #tornBytes = 0;
  /** What is wrong with the file as it was at that time. */
  #damage: { readonly facts: FileFacts; readonly error: Error } | undefined;

  /** How errors name a line. */
  readonly where: NameLine;

  constructor(options: KnownLinesOptions) {
    this.#options = options;
    this.where = (line) => `${options.name}, line ${line}`;
  }

  /** Where the last whole group ends. */
  get tip(): Tip {
    return this.#tip;
  }

  /** The file that the index is about; nothing: there is none, or nothing is known of it. */
  get id(): string | undefined {
    return this.#id;
  }

  /** How many bytes are behind the last whole group. */
  get tornBytes(): number {
    return this.#tornBytes;
  }

  /** Looks again when what it finds is damaged: another process may be in the middle of writing it. */
  async look(): Promise<void> {
    for (let look = 1; ; look++) {
      try {
        return await this.#lookOnce();
      } catch (error) {
        if (!isTinyAgentsError(error, "corrupt_data") || error === this.#damage?.error) throw error;
        this.forget();
        if (look === LOOKS) {
          this.#damage = this.#opened && { facts: this.#opened, error };
          throw error;
        }
        await systemClock.sleep(LOOK_AGAIN_MS);
      }
    }
  }

  /** Lines were written behind those that are known, and nobody else writes until {@link wroteLast}. */
  wrote(lines: readonly PlacedLine[], tip: Tip): void {
    for (const { object, place } of lines) this.#take(object, place);
    this.#tip = tip;
    this.#facts = undefined;
  }

  /** All that was written is known, and the file is as `facts` say. */
  wroteLast(facts: FileFacts): void {
    if (facts.id === this.#id && facts.size === this.#tip.end) this.#facts = facts;
  }

  /** What was behind the last whole group is cut off. */
  cut(): void {
    this.#tornBytes = 0;
    this.#facts = undefined;
  }

  /** Reads the file from its start with the next look. */
  forget(id?: string): void {
    this.#id = id;
    this.#tip = START;
    this.#facts = undefined;
    this.#tornBytes = 0;
    this.#options.index.reset();
  }

  corrupt(line: number): Error {
    return corruptData(this.where(line), "the line is damaged, or something in front of it is missing");
  }

  async #lookOnce(): Promise<void> {
    const { files, path } = this.#options;
    const facts = await files.facts(path);
    // A torn end is looked at again: what takes its place may be as long, and written in the same tick of the clock.
    if (facts !== undefined && isSameFile(facts, this.#facts) && this.#tornBytes === 0) return;
    if (facts !== undefined && isSameFile(facts, this.#damage?.facts)) throw this.#damage?.error;
    const file = facts === undefined ? undefined : await openIfThere(files, path);
    if (file === undefined) {
      this.forget();
      return;
    }
    try {
      const opened = await file.facts();
      this.#opened = opened;
      if (!(await this.#goesOn(file, opened))) this.forget(opened.id);
      await this.#readOn(file);
      this.#facts = opened;
    } finally {
      await file.close();
    }
  }

  /** Whether the file is the one that is known, and still begins with what is known. */
  async #goesOn(file: OpenFile, { id, size }: FileFacts): Promise<boolean> {
    const { end, crc, lines } = this.#tip;
    if (id !== this.#id || size < end) return false;
    if (lines === 0) return true;
    const wanted = lineEnd(crc);
    const found = Buffer.alloc(wanted.byteLength);
    await file.read(found, end - wanted.byteLength);
    return found.equals(wanted);
  }

  async #readOn(file: OpenFile): Promise<void> {
    let { crc, lines } = this.#tip;
    let group: PlacedLine[] = [];
    let due: number | undefined;
    const { position, restBytes } = await scanLines(file, this.#tip.end, (bytes, at) => {
      lines++;
      const read = decodeLine(bytes, crc);
      const more = read?.object.more ?? 0;
      if (read === undefined || typeof more !== "number" || (due !== undefined && more !== due))
        throw this.corrupt(lines);
      const place = { position: at, length: bytes.byteLength + 1, line: lines, before: crc };
      group.push({ object: read.object, place });
      crc = read.crc;
      due = more > 0 ? more - 1 : undefined;
      if (due !== undefined) return;
      for (const one of group) this.#take(one.object, one.place);
      group = [];
      this.#tip = { end: at + bytes.byteLength + 1, crc, lines };
    });
    this.#tornBytes = restBytes + position - this.#tip.end;
  }

  #take(object: JsonObject, place: LinePlace): void {
    const { index } = this.#options;
    if (place.line > 1) {
      index.apply(object, place, this.where);
      return;
    }
    const where = this.where(1);
    readVersion(object, FORMAT_VERSION, where);
    if (object.format !== index.format) throw corruptData(where, `it is not the first line of a ${index.format}`);
    index.header(object, where);
  }
}
