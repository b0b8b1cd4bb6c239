import { join } from "node:path";
import { type CheckedStreamsQuery, corruptData, systemClock } from "@tinyagents/core";
import { streamFileName, streamOfFileName } from "./file-name.js";
import { type FileFacts, type Files, isSameFile, openIfThere } from "./files.js";
import { decodeLine } from "./line.js";
import { scanLines } from "./scan.js";

/** File systems note times in steps of at most so long, ms: two changes in one step leave the same time. */
const LONGEST_STEP_MS = 2_000;

/**
 * The names of the streams of a folder. A folder is read again only when names came or went in it, so that a page costs a look
 * at the folder, and what is in the page.
 */
export class StreamNames {
  readonly #files: Files;
  readonly #folder: string;
  /** All of them in order, and the folder as it was before they were read. */
  #known: { readonly facts: FileFacts; readonly names: readonly string[] } | undefined;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  /** Names in code unit order. */
  async page({ prefix, after = "", limit }: CheckedStreamsQuery): Promise<readonly string[]> {
    const names = await this.#all();
    const page: string[] = [];
    for (let at = firstFrom(names, prefix, after); page.length < limit; at++) {
      const name = names[at];
      if (!name?.startsWith(prefix)) break;
      page.push(name);
    }
    return page;
  }

  async #all(): Promise<readonly string[]> {
    const facts = await this.#files.folderFacts(this.#folder);
    const known = this.#known;
    if (facts !== undefined && known !== undefined && isSameFile(facts, known.facts)) return known.names;
    this.#known = undefined;
    const isSettled = facts !== undefined && Number(facts.writtenAtNs) / 1e6 < systemClock.now() - LONGEST_STEP_MS;
    const names = await this.#read();
    if (isSettled) this.#known = { facts, names };
    return names;
  }

  async #read(): Promise<readonly string[]> {
    const names: string[] = [];
    for (const fileName of await this.#files.names(this.#folder)) {
      const known = streamOfFileName(fileName);
      const stream = known === "long" ? await this.#longName(fileName) : known?.stream;
      if (stream !== undefined) names.push(stream);
    }
    return names.sort();
  }

  /** The stream of a file whose name does not say; nothing for a file that is gone, or was never whole. */
  async #longName(fileName: string): Promise<string | undefined> {
    const stream = await firstLineOf(this.#files, join(this.#folder, fileName));
    if (stream === undefined || (typeof stream === "string" && streamFileName(stream) === fileName)) return stream;
    throw corruptData(`logs/${fileName}, line 1`, "it does not name the stream of this file");
  }
}

/** Where names begin that are not before the prefix, and are behind `after`. */
function firstFrom(names: readonly string[], prefix: string, after: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const name = names[middle] as string;
    if (name >= prefix && name > after) high = middle;
    else low = middle + 1;
  }
  return low;
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
