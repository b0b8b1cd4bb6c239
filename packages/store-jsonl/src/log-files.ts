import { join } from "node:path";
import { streamFileName } from "./file-name.js";
import type { LineFileOptions } from "./line-file.js";
import { LogFile } from "./log-file.js";

/** What the logs of a folder have in common. */
export interface LogFilesOptions extends Omit<LineFileOptions, "index" | "path" | "name"> {
  /** Whether a log is to be written to, or is kept open. */
  readonly isInUse: (log: LogFile) => boolean;
  /** Told when a stream was written to. */
  readonly onWritten: (stream: string) => void;
}

/** Of so many streams it is remembered where their records are. A stream that was forgotten is read from its start. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly log: LogFile;
  readers: number;
}

/** The logs of a folder. */
export class LogFiles {
  readonly #options: LogFilesOptions;
  /** The one that was not used for longest is first. */
  readonly #known = new Map<string, Known>();
  /** The last of them. */
  #latest: Known | undefined;

  constructor(options: LogFilesOptions) {
    this.#options = options;
  }

  /** The one log that there is of a stream. It may be forgotten unless it is written to. */
  of(stream: string): LogFile {
    return this.#use(stream).log;
  }

  /** Reads in the log of a stream, which is not forgotten meanwhile. */
  async read<T>(stream: string, work: (log: LogFile) => Promise<T>): Promise<T> {
    const known = this.#use(stream);
    known.readers++;
    try {
      return await work(known.log);
    } finally {
      known.readers--;
    }
  }

  #use(stream: string): Known {
    const known = this.#known.get(stream) ?? { log: this.#open(stream), readers: 0 };
    if (known === this.#latest) return known;
    this.#known.delete(stream);
    this.#forgetSome();
    this.#known.set(stream, known);
    this.#latest = known;
    return known;
  }

  #open(stream: string): LogFile {
    const fileName = streamFileName(stream);
    const { isInUse: _, onWritten, ...options } = this.#options;
    const path = join(options.folder, fileName);
    return new LogFile(stream, { ...options, path, name: `logs/${fileName}` }, () => onWritten(stream));
  }

  /**
   * Looks at the two that were not used for longest. One stream is added each time: so those that had to be kept while they
   * were in use, and are more than there may be, are forgotten one after another later.
   */
  #forgetSome(): void {
    for (let looks = 0; looks < 2 && this.#known.size >= MOST_KNOWN; looks++) {
      const [stream, known] = this.#known.entries().next().value as [string, Known];
      this.#known.delete(stream);
      if (known.readers > 0 || this.#options.isInUse(known.log)) this.#known.set(stream, known);
    }
  }
}
