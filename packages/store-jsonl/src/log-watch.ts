import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { streamFileName } from "./file-name.js";
import { type FileFacts, type Files, isSameFile } from "./files.js";

/** How often files are looked at where the system tells of changes, in case that one got lost, and where it does not, ms. */
const LOOK_MS = 1_000;
const LOOK_OFTEN_MS = 100;

interface Watched {
  readonly calls: Set<() => void>;
  facts: FileFacts | undefined;
}

/** Calls back when files of streams change, whoever changes them. Keeps no process alive. */
export class LogWatch {
  readonly #files: Files;
  readonly #folder: string;
  readonly #watched = new Map<string, Watched>();
  #system: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Resolves when no change is missed any more. What it gives ends the calls. */
  async add(stream: string, onAppend: () => void): Promise<() => void> {
    const fileName = streamFileName(stream);
    const facts = await this.#files.facts(join(this.#folder, fileName));
    const watched = this.#watched.get(fileName) ?? { calls: new Set(), facts };
    // A call back of its own: the same function may watch twice, and each ends alone.
    const call = (): void => onAppend();
    watched.calls.add(call);
    this.#watched.set(fileName, watched);
    this.#start();
    return () => {
      watched.calls.delete(call);
      if (watched.calls.size === 0 && this.#watched.get(fileName) === watched) this.#watched.delete(fileName);
      if (this.#watched.size === 0) this.#stop();
    };
  }

  /** This process appended to a stream. */
  appended(stream: string): void {
    if (this.#watched.size > 0) this.#ring(streamFileName(stream));
  }

  /** Calls everybody back a last time. */
  close(): void {
    this.#ring(null);
    this.#watched.clear();
    this.#stop();
  }

  #start(): void {
    if (this.#timer !== undefined) return;
    try {
      this.#system = watch(this.#folder, { persistent: false }, (_, fileName) => this.#ring(fileName));
      this.#system.on("error", () => this.#watchNoMore());
    } catch {
      // Systems limit how much is watched, and some folders cannot be: then files are looked at more often.
      this.#watchNoMore();
    }
    this.#lookLater();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watchNoMore();
  }

  #watchNoMore(): void {
    this.#system?.close();
    this.#system = undefined;
  }

  #lookLater(): void {
    const timer = setTimeout(
      async () => {
        await this.#look();
        if (this.#timer === timer) this.#lookLater();
      },
      this.#system === undefined ? LOOK_OFTEN_MS : LOOK_MS,
    );
    this.#timer = timer.unref();
  }

  async #look(): Promise<void> {
    for (const [fileName, watched] of this.#watched) {
      // A file that cannot be looked at is told as changed: who then reads it learns why.
      const facts = await this.#files.facts(join(this.#folder, fileName)).catch(() => undefined);
      const isSame = isSameFile(facts, watched.facts);
      watched.facts = facts;
      if (!isSame) this.#ring(fileName);
    }
  }

  #ring(fileName: string | null): void {
    for (const [name, { calls }] of this.#watched) {
      if (fileName !== null && fileName !== name) continue;
      for (const call of calls) queueMicrotask(call);
    }
  }
}
