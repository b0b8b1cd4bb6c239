import { constants } from "node:fs";
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rm, utimes } from "node:fs/promises";
import { systemCodeOf } from "@tinyagents/core";

/** What tells whether a file is still the one that was read, unchanged. */
export interface FileFacts {
  /** The file itself, whatever its name is: a file that replaces another has an id of its own. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** When it was last written, ns since 1970. */
  readonly writtenAtNs: bigint;
}

/** A file that is open. */
export interface OpenFile {
  facts(): Promise<FileFacts>;
  /** Fills as much of the buffer as there is, and gives how much that was. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all of the bytes, or fails; then some may be written. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Resolves when what was written, and the size, would survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** The file system, as far as this package uses it. Tests have one that fails. */
export interface Files {
  /** `create` is for a name that is free. A symbolic link is never followed. */
  open(path: string, mode: "read" | "write" | "create"): Promise<OpenFile>;
  /** Nothing when there is no such file. @throws for what is no plain file. */
  facts(path: string): Promise<FileFacts | undefined>;
  /**
   * What changes when names come or go in a folder, though not where two changes are in one step of the file system's clock.
   * Nothing when there is no folder, or its system does not tell in time.
   */
  folderFacts(folder: string): Promise<FileFacts | undefined>;
  /** The names in a folder; none when there is no folder. */
  names(folder: string): Promise<readonly string[]>;
  /** Makes a folder, and those above it, where there are none; it may be a link. Gives the topmost that it made. */
  makeRoot(folder: string): Promise<string | undefined>;
  /** Makes a folder where there is none. @throws when a link or a file is in its place. */
  makeFolder(folder: string): Promise<void>;
  /** Takes the place of the file that is there. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file; whether the name was free. */
  link(from: string, to: string): Promise<boolean>;
  /** Takes a name away, or does nothing when it is gone already. */
  remove(path: string): Promise<void>;
  /** Sets when the file was written, ms since 1970. */
  touch(path: string, atMs: number): Promise<void>;
  /** Resolves when names that came and went in a folder would survive a power cut. */
  syncFolder(folder: string): Promise<void>;
}

/** Windows has no such flag, and `facts` looks before every use anyway. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

const FLAGS = {
  // Without waiting: a pipe that stands where a file is expected would be waited at for a writer, for ever.
  read: constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0),
  write: constants.O_RDWR | NO_FOLLOW,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
};

/** The file, open to be read; nothing when there is none. */
export async function openIfThere(files: Files, path: string): Promise<OpenFile | undefined> {
  try {
    return await files.open(path, "read");
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether it is the same file, not written to between. */
export function isSameFile(one: FileFacts | undefined, other: FileFacts | undefined): boolean {
  return one?.id === other?.id && one?.size === other?.size && one?.writtenAtNs === other?.writtenAtNs;
}

/** The file system of this machine. */
export const nodeFiles: Files = {
  async open(path, mode) {
    return openFile(await open(path, FLAGS[mode], 0o600));
  },
  async facts(path) {
    const found = await unlessMissing(lstat(path, { bigint: true }));
    if (found === undefined) return undefined;
    if (!found.isFile()) throw new Error(`${path} is no plain file; links and folders are not followed`);
    return factsOf(found);
  },
  async folderFacts(folder) {
    // Windows notes such changes when it has time.
    const found = process.platform === "win32" ? undefined : await unlessMissing(lstat(folder, { bigint: true }));
    return found && factsOf(found);
  },
  names: async (folder) => (await unlessMissing(readdir(folder))) ?? [],
  makeRoot: (folder) => mkdir(folder, { recursive: true, mode: 0o700 }),
  async makeFolder(folder) {
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if (systemCodeOf(error) !== "EEXIST") throw error;
    }
    if (!(await lstat(folder)).isDirectory()) throw new Error(`${folder} is no plain folder; links are not followed`);
  },
  rename,
  async link(from, to) {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === "EEXIST") return false;
      throw error;
    }
  },
  remove: (path) => rm(path, { force: true }),
  touch: (path, atMs) => utimes(path, atMs / 1_000, atMs / 1_000),
  async syncFolder(folder) {
    // Windows opens no folders; its file systems keep names in order by themselves.
    if (process.platform === "win32") return;
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

function openFile(handle: FileHandle): OpenFile {
  return {
    facts: async () => factsOf(await handle.stat({ bigint: true })),
    async read(into, position) {
      let filled = 0;
      while (filled < into.byteLength) {
        const { bytesRead } = await handle.read(into, filled, into.byteLength - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    async write(bytes, position) {
      for (let written = 0; written < bytes.byteLength; ) {
        const { bytesWritten } = await handle.write(bytes, written, bytes.byteLength - written, position + written);
        written += bytesWritten;
      }
    },
    truncate: (size) => handle.truncate(size),
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

function factsOf(found: {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
}) {
  return { id: `${found.dev}:${found.ino}`, size: Number(found.size), writtenAtNs: found.mtimeNs };
}

async function unlessMissing<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (systemCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}
