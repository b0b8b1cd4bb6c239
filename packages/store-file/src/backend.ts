import { dirname, resolve } from "node:path";
import {
  type BlobStore,
  type Clock,
  checkOptions,
  type FieldRule,
  invalidArgument,
  isPassingFileError,
  optionRules,
  type StorageBackend,
  storeFailure,
  storeGate,
  systemClock,
  systemCodeOf,
  type TinyAgentsError,
} from "@tinyagents/core";
import { BlobReads } from "./blob-reads.js";
import { type Files, nodeFiles } from "./files.js";
import { Records } from "./records.js";
import { storeBehind } from "./store.js";

export interface FileOptions {
  /** Where the files are. It is made when it is first used; it may be a symbolic link. */
  readonly folder: string;
  /**
   * `always`: what was acknowledged survives a power cut. `os`: it survives a killed process, and the system decides when it
   * is on the disk. Default `always`.
   */
  readonly sync?: "always" | "os" | undefined;
  /** Where `ttlMs` and `updatedAtMs` take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** The records of one folder. It has no logs. */
export interface FileBackend extends StorageBackend {
  readonly store: BlobStore;
}

/**
 * Keyed records and blobs as files below a folder, for any number of processes of one machine.
 * @throws `TypeError` for options that cannot be.
 */
export function fileBackend(options: FileOptions): FileBackend {
  return backendOn(nodeFiles, options);
}

/** As {@link fileBackend}, on a file system that is given. */
export function backendOn(files: Files, options: FileOptions): FileBackend {
  const { folder, sync, clock } = readOptions(options);
  const gate = storeGate("file store", { toError });
  const reads = new BlobReads(gate);
  let opening: Promise<Records> | undefined;
  const opened = (): Promise<Records> => {
    opening ??= openRoot(files, folder, sync).then(
      (root) => new Records({ files, root, sync, clock }),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  return {
    store: storeBehind(gate, reads, opened),
    close: () =>
      gate.close(async () => {
        await reads.close();
        await (await opening?.catch(() => undefined))?.close();
      }),
  };
}

const RULES: { readonly [Option in keyof FileOptions]-?: FieldRule } = {
  folder: optionRules.path,
  sync: optionRules.oneOf("always", "os"),
  clock: optionRules.clock,
};

function readOptions(options: FileOptions) {
  const place = "fileBackend: options";
  checkOptions(options, RULES, place);
  const { folder, sync = "always", clock = systemClock } = options;
  if (folder === undefined) throw new TypeError(`${place}.folder: a path is expected`);
  return { folder: resolve(folder), sync: sync === "always", clock };
}

/** Makes the folder, and gives its path without symbolic links. */
async function openRoot(files: Files, folder: string, sync: boolean): Promise<string> {
  const topmost = await files.makeRoot(folder);
  const root = await files.realPath(folder);
  if (root === undefined) throw new Error(`${folder} was taken away while it was opened`);
  if (!sync || topmost === undefined) return root;
  // A new folder is a name in the one above it.
  for (let made = folder; ; made = dirname(made)) {
    await files.syncFolder(dirname(made));
    if (made === topmost || made === dirname(made)) return root;
  }
}

function toError(error: unknown, operation: string): TinyAgentsError {
  const code = systemCodeOf(error);
  if (code === "ENAMETOOLONG")
    return invalidArgument("key", "its names are together longer than the paths of this file system can be");
  return storeFailure("file store", operation, error, { retryable: isPassingFileError(error) });
}
