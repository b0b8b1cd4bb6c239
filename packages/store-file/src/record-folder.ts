import { join } from "node:path";
import { corruptData, type StoreKey } from "@tinyagents/core";
import { type ContentHead, readHead } from "./content.js";
import { type FileFacts, type Files, MISSING, type OpenFile, unless } from "./files.js";
import { folderName, piecesOf } from "./key-path.js";

/** The folder of a record in the folder of its key. No name is written like it. */
const RECORD = "@";
const VERSION = /^[0-9a-f]{24}(?:-(\d{1,16}))?$/;
/** How often a reader looks again when a record is replaced under it. */
const MOST_LOOKS = 1_000;

/**
 * Where a record is. In `at` is one folder, whose name is the version that is there; in that is a file of the same name, with the
 * content. To replace a version is to rename its folder to the next version's name, when the next one's content was put
 * into it: of all who want to replace a version one can, since for the others it is no longer there. A version's name
 * never comes again, so nobody can mistake a later one for it.
 */
export interface RecordPlace {
  readonly key: StoreKey;
  /** The folder of the key. */
  readonly folder: string;
  /** The folder of the record: absent or empty when there is none. */
  readonly at: string;
}

/** The version that is there. */
export interface Current {
  readonly version: string;
  /** From this time on the record is gone, ms since 1970. Absent: never. */
  readonly expiresAtMs?: number;
}

/** A record whose content is open to be read. Whoever asked for it closes the file. */
export interface OpenRecord extends Current {
  readonly file: OpenFile;
  readonly head: ContentHead;
  /** How errors name the file. */
  readonly place: string;
}

/** Where the record of a key is, below the folder of the store. */
export function placeOf(root: string, key: StoreKey): RecordPlace {
  const folder = join(root, ...piecesOf(key).map(folderName));
  return { key, folder, at: join(folder, RECORD) };
}

/** The name of a version, where a random number is given. */
export function versionName(random: string, expiresAtMs: number | undefined): string {
  return expiresAtMs === undefined ? random : `${random}-${expiresAtMs}`;
}

/** Where the content of a version is. */
export function contentPath({ at }: RecordPlace, version: string, folder: string = version): string {
  return join(at, folder, version);
}

/** Looks into the folders of records. Waits for no writer. */
export class RecordReader {
  readonly #files: Files;
  readonly #root: string;

  constructor(files: Files, root: string) {
    this.#files = files;
    this.#root = root;
  }

  /** The version that is there, expired or not. */
  async current(place: RecordPlace): Promise<Current | undefined> {
    for (let looks = 1; ; looks++) {
      const names = await this.#files.names(place.at);
      const found = names.flatMap((version) => currentFrom(version) ?? []);
      if (found.length === 1) return found[0];
      // Where a folder is not listed at one moment, a rename may be seen as neither name, or both.
      if (found.length === 0 && looks > 1) return undefined;
      if (looks > MOST_LOOKS)
        throw corruptData(this.nameOf(place.at), `it has ${found.length} versions in place of one`);
    }
  }

  /**
   * Opens what is there at the time `nowMs`.
   * @throws `corrupt_data`
   */
  async open(place: RecordPlace, nowMs: number): Promise<OpenRecord | "expired" | undefined> {
    for (let looks = 1; ; looks++) {
      const current = await this.current(place);
      if (current === undefined) return undefined;
      if (hasExpired(current, nowMs)) return "expired";
      const opened = await this.openVersion(place, current);
      if (opened !== undefined) return opened;
      if (looks <= MOST_LOOKS && (await this.current(place))?.version !== current.version) continue;
      throw corruptData(this.nameOf(contentPath(place, current.version)), "the file of its content is missing");
    }
  }

  /** Opens a version; nothing when it is not there any more. @throws `corrupt_data` */
  async openVersion(place: RecordPlace, current: Current): Promise<OpenRecord | undefined> {
    const path = contentPath(place, current.version);
    const name = this.nameOf(path);
    const file = await unless(
      MISSING,
      this.#files.open(path, "read").catch((error) => this.#refuseLink(path, error)),
    );
    if (file === undefined) return undefined;
    try {
      if (await this.#isOurs(join(place.at, current.version), path, file)) {
        const head = await readHead(file, name);
        if (JSON.stringify(head.key) !== JSON.stringify(place.key)) throw corruptData(name, "it is of another record");
        return { ...current, file, head, place: name };
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return undefined;
  }

  /**
   * Whether there is a folder.
   * @throws `corrupt_data` when the path leads elsewhere: nothing outside the folder of the store is reached through a link.
   */
  async isFolder(folder: string): Promise<boolean> {
    const real = await this.#files.realPath(folder);
    if (real !== undefined && real !== folder) throw this.#isLink(folder);
    return real !== undefined;
  }

  /** How errors name a path: from the folder of the store on. */
  nameOf(path: string): string {
    return path.slice(this.#root.length + 1).replaceAll("\\", "/");
  }

  /** Whether what was opened is the file at the path, with no link on the way there. */
  async #isOurs(folder: string, path: string, file: OpenFile): Promise<boolean> {
    const [opened, standing] = [await file.facts(), await this.#files.facts(path)];
    if (!(await this.isFolder(folder)) || standing === undefined) return false;
    checkPlainFile(standing, this.nameOf(path));
    return standing.id === opened.id;
  }

  async #refuseLink(path: string, error: unknown): Promise<never> {
    const facts = await this.#files.facts(path);
    if (facts !== undefined) checkPlainFile(facts, this.nameOf(path));
    throw error;
  }

  #isLink(path: string): Error {
    return corruptData(this.nameOf(path), "a symbolic link is on the way there; links are not followed");
  }
}

export function hasExpired({ expiresAtMs }: Current, nowMs: number): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= nowMs;
}

function currentFrom(name: string): Current | undefined {
  const found = VERSION.exec(name);
  if (found === null) return undefined;
  return found[1] === undefined ? { version: name } : { version: name, expiresAtMs: Number(found[1]) };
}

function checkPlainFile({ kind }: FileFacts, name: string): void {
  if (kind !== "file") throw corruptData(name, "it is no plain file; links are not followed");
}
