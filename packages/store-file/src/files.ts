import { constants } from "node:fs";
import { link, lstat, mkdir, open, opendir, readdir, realpath, rename, rm, rmdir } from "node:fs/promises";
import { systemCodeOf } from "@tinyagents/core";

/** What stands at a path. */
export interface FileFacts {
  readonly kind: "file" | "folder" | "other";
  /** The file itself, whatever its name is. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  /** How many names the file has. */
  readonly links: number;
  /** When it was last written, ms since 1970. */
  readonly writtenAtMs: number;
}

/** A file that is open. */
export interface OpenFile {
  facts(): Promise<FileFacts>;
  /** Fills as much of the buffer as there is, and gives how much that was. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all of the bytes, or fails; then some may be written. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when what was written would survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** One name in a folder. */
interface FolderEntry {
  readonly name: string;
  readonly kind: FileFacts["kind"];
}

/** The file system, as far as this package uses it. Tests have one that fails. */
export interface Files {
  /** `create` is for a name that is free. A symbolic link is never followed. */
  open(path: string, mode: "read" | "create"): Promise<OpenFile>;
  /** Nothing when there is no such name. A symbolic link is not followed. */
  facts(path: string): Promise<FileFacts | undefined>;
  /** The path without symbolic links; nothing when it leads nowhere. */
  realPath(path: string): Promise<string | undefined>;
  /** The names in a folder that holds few; none when there is no folder. */
  names(folder: string): Promise<readonly string[]>;
  /** The names in a folder, however many, some at a time and in no order; none when there is no folder. */
  entries(folder: string): AsyncIterable<FolderEntry>;
  /** Makes a folder, and those above it, where there are none; it may be a link. Gives the topmost that it made. */
  makeRoot(folder: string): Promise<string | undefined>;
  /** Makes a folder in one that is there. Whether there was none. */
  makeFolder(folder: string): Promise<boolean>;
  /** Gives a file or folder another name. A folder may take the place of an empty one. */
  rename(from: string, to: string): Promise<void>;
  /** A second name for a file. */
  link(from: string, to: string): Promise<void>;
  /** Takes a file, or a folder with all that is in it, away, if it is there. */
  remove(path: string): Promise<void>;
  /** Takes a folder away if it is empty; whether it did. */
  removeEmpty(folder: string): Promise<boolean>;
  /** Resolves when names that came and went in a folder would survive a power cut. */
  syncFolder(folder: string): Promise<void>;
}

/** Windows has no such flag; what was opened is compared with what stands at the path anyway. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

const FLAGS = {
  read: constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0),
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
};

/** Runs work, and gives nothing when it fails with one of these codes of the system. */
export async function unless<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(systemCodeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** A name that is not there, or whose folder is not. */
export const MISSING: readonly string[] = ["ENOENT", "ENOTDIR"];

/** The file system of this machine. */
export const nodeFiles: Files = {
  async open(path, mode) {
    const handle = await open(path, FLAGS[mode], 0o600);
    return {
      facts: async () => factsOf(await handle.stat({ bigint: true })),
      async read(into, position) {
        for (let filled = 0; ; ) {
          const { bytesRead } = await handle.read(into, filled, into.byteLength - filled, position + filled);
          filled += bytesRead;
          if (bytesRead === 0 || filled === into.byteLength) return filled;
        }
      },
      async write(bytes, position) {
        for (let written = 0; written < bytes.byteLength; ) {
          const left = bytes.byteLength - written;
          written += (await handle.write(bytes, written, left, position + written)).bytesWritten;
        }
      },
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  async facts(path) {
    const found = await unless(MISSING, lstat(path, { bigint: true }));
    return found && factsOf(found);
  },
  realPath: (path) => unless(MISSING, realpath(path)),
  names: async (folder) => (await unless(MISSING, readdir(folder))) ?? [],
  async *entries(folder) {
    const names = await unless(MISSING, opendir(folder, { bufferSize: 256 }));
    if (names === undefined) return;
    for await (const entry of names) yield { name: entry.name, kind: kindOf(entry) };
  },
  makeRoot: (folder) => mkdir(folder, { recursive: true, mode: 0o700 }),
  makeFolder: async (folder) =>
    (await unless(
      ["EEXIST"],
      mkdir(folder, { mode: 0o700 }).then(() => true),
    )) ?? false,
  rename,
  link,
  remove: (path) => rm(path, { recursive: true, force: true }),
  async removeEmpty(folder) {
    // Some systems say of a folder with files that it exists.
    const codes = ["ENOTEMPTY", "EEXIST", ...MISSING];
    return (
      (await unless(
        codes,
        rmdir(folder).then(() => true),
      )) ?? false
    );
  },
  async syncFolder(folder) {
    // Windows opens no folders; its file systems keep names in order by themselves.
    if (process.platform === "win32") return;
    const handle = await open(folder, constants.O_RDONLY | NO_FOLLOW);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
};

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
}

function kindOf(found: Kinds): FileFacts["kind"] {
  if (found.isFile()) return "file";
  return found.isDirectory() ? "folder" : "other";
}

interface Stats extends Kinds {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly nlink: bigint;
  readonly mtimeMs: bigint;
}

function factsOf(found: Stats): FileFacts {
  const numbers = { size: Number(found.size), links: Number(found.nlink), writtenAtMs: Number(found.mtimeMs) };
  return { kind: kindOf(found), id: `${found.dev}:${found.ino}`, ...numbers };
}
