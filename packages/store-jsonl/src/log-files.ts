import { join } from "node:path";
import { type CheckedStreamsQuery, corruptData } from "@tinyagents/core";
import { streamFileName, streamOfFileName } from "./file-name.js";
import { type Files, openIfThere } from "./files.js";
import { decodeLine } from "./line.js";
import type { LineFileOptions } from "./line-file.js";
import { LogFile } from "./log-file.js";
import { scanLines } from "./scan.js";

/** What the logs of a folder have in common. */
export type LogFilesOptions = Omit<LineFileOptions, "index" | "path" | "name">;

/** Of so many streams it is remembered where their records are. A stream that was forgotten is read from its start. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly log: LogFile;
  users: number;
}

/** The logs of a folder. */
export class LogFiles {
  readonly #options: LogFilesOptions;
  /** The one that was not used for longest is first. */
  readonly #known = new Map<string, Known>();

  constructor(options: LogFilesOptions) {
    this.#options = options;
  }

  /** Works with the one log that there is of a stream, which is not forgotten meanwhile. */
  async use<T>(stream: string, work: (log: LogFile) => Promise<T>): Promise<T> {
    const known = this.#known.get(stream) ?? { log: this.#open(stream), users: 0 };
    this.#known.delete(stream);
    this.#known.set(stream, known);
    known.users++;
    this.#forgetSome();
    try {
      return await work(known.log);
    } finally {
      known.users--;
    }
  }

  /** Names of streams, in code unit order. */
  async names({ prefix, after = "", limit }: CheckedStreamsQuery): Promise<readonly string[]> {
    const { files, folder } = this.#options;
    const names: string[] = [];
    for (const fileName of await files.names(folder)) {
      const known = streamOfFileName(fileName);
      const stream = known === "long" ? await this.#longName(fileName) : known?.stream;
      if (stream?.startsWith(prefix) && stream > after) names.push(stream);
    }
    return names.sort().slice(0, limit);
  }

  #open(stream: string): LogFile {
    const fileName = streamFileName(stream);
    const path = join(this.#options.folder, fileName);
    return new LogFile(stream, { ...this.#options, path, name: `logs/${fileName}` });
  }

  #forgetSome(): void {
    if (this.#known.size <= MOST_KNOWN) return;
    for (const [stream, { log, users }] of this.#known) {
      if (users > 0 || log.isInUse) continue;
      this.#known.delete(stream);
      return;
    }
  }

  /** The stream of a file whose name does not say; nothing for a file that is gone, or was never whole. */
  async #longName(fileName: string): Promise<string | undefined> {
    const { files, folder } = this.#options;
    const stream = await firstLineOf(files, join(folder, fileName));
    if (stream === undefined || (typeof stream === "string" && streamFileName(stream) === fileName)) return stream;
    throw corruptData(`logs/${fileName}, line 1`, "it does not name the stream of this file");
  }
}

/** The stream that the first line names; `null` when the line is damaged. */
async function firstLineOf(files: Files, path: string): Promise<string | null | undefined> {
  const file = await openIfThere(files, path);
  if (file === undefined) return undefined;
  try {
    let found: string | null | undefined;
    await scanLines(file, 0, (bytes) => {
      const stream = decodeLine(bytes, 0)?.object.stream;
      found = typeof stream === "string" ? stream : null;
      return false;
    });
    return found;
  } finally {
    await file.close();
  }
}
