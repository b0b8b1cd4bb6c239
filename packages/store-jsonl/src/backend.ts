import { dirname, join, resolve } from "node:path";
import {
  type AppendStore,
  type Clock,
  checkOptions,
  type FieldRule,
  isPassingFileError,
  optionRules,
  type StorageBackend,
  type Store,
  storeFailure,
  storeGate,
  systemClock,
  type TinyAgentsError,
} from "@tinyagents/core";
import { appendStoreBehind } from "./append-store.js";
import { CommitQueue } from "./commit-queue.js";
import { type Files, nodeFiles } from "./files.js";
import { folderLock } from "./folder-lock.js";
import { type Repair, UNFINISHED } from "./line-file.js";
import { LogFiles } from "./log-files.js";
import { LogWatch } from "./log-watch.js";
import { storeBehind } from "./store.js";
import { StoreFile } from "./store-file.js";
import { StreamNames } from "./stream-names.js";

export interface JsonlOptions {
  /** Where the files are. It is made when it is first used. */
  readonly folder: string;
  /**
   * `always`: what was acknowledged survives a power cut; writes that wait at the same time share one sync. `os`: it
   * survives a killed process, and the system decides when it is on the disk. Default `always`.
   */
  readonly sync?: "always" | "os" | undefined;
  /** Told of the end of a file that a killed process or a full disk left torn, when the next write cuts it off. */
  readonly onRepair?: ((repair: Repair) => void) | undefined;
  /** How long a write waits for other processes that hold the folder, ms, before it fails as `store_failed`. Default 30,000. */
  readonly lockWaitMs?: number | undefined;
  /** Where `ttlMs` and `updatedAtMs` take the time from. Default: real time. */
  readonly clock?: Clock | undefined;
}

/** Keyed records and logs of one folder, closed together. */
export interface JsonlBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/**
 * Keyed records and logs as lines of JSON in a folder, for any number of processes of one machine.
 * @throws `TypeError` for options that cannot be.
 */
export function jsonlBackend(options: JsonlOptions): JsonlBackend {
  return backendOn(nodeFiles, options);
}

/** As {@link jsonlBackend}, on a file system that is given. */
export function backendOn(files: Files, options: JsonlOptions): JsonlBackend {
  const { folder, sync, onRepair, lockWaitMs, clock } = readOptions(options);
  const logFolder = join(folder, "logs");
  const lock = folderLock(files, join(folder, "lock"), { waitMs: lockWaitMs });
  const common = { files, sync, onRepair };
  const store = storeGate("JSONL store", { toError: toError("JSONL store") });
  const log = storeGate("JSONL log", { toError: toError("JSONL log") });
  const watch = new LogWatch(files, logFolder);
  let opening: Promise<void> | undefined;
  const opened = (): Promise<void> => {
    opening ??= openFolders(files, folder, logFolder, sync).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const queue = new CommitQueue({ lock, opened, begin: () => removeUnfinished(files, [folder, logFolder]) });
  const logs = new LogFiles({
    ...common,
    folder: logFolder,
    isInUse: (log) => queue.isUsing(log),
    onWritten: (stream) => watch.appended(stream),
  });
  const file = new StoreFile({ ...common, folder, path: join(folder, "store.jsonl"), name: "store.jsonl" }, clock);
  return {
    store: storeBehind({ gate: store, queue, file, opened }),
    log: appendStoreBehind({ gate: log, queue, logs, names: new StreamNames(files, logFolder), watch, opened }),
    async close() {
      await Promise.all([store.close(), log.close(() => watch.close())]);
      await queue.close();
    },
  };
}

const RULES: { readonly [Option in keyof JsonlOptions]-?: FieldRule } = {
  folder: optionRules.path,
  sync: optionRules.oneOf("always", "os"),
  onRepair: optionRules.call,
  lockWaitMs: optionRules.milliseconds,
  clock: optionRules.clock,
};

function readOptions(options: JsonlOptions) {
  const place = "jsonlBackend: options";
  checkOptions(options, RULES, place);
  const { folder, sync = "always", onRepair, lockWaitMs = 30_000, clock = systemClock } = options;
  if (folder === undefined) throw new TypeError(`${place}.folder: a path is expected`);
  return { folder: resolve(folder), sync: sync === "always", onRepair, lockWaitMs, clock };
}

async function openFolders(files: Files, folder: string, logFolder: string, sync: boolean): Promise<void> {
  const topmost = await files.makeRoot(folder);
  await files.makeFolder(logFolder);
  if (!sync) return;
  // A new folder is a name in the one above it.
  const above = topmost === undefined ? folder : dirname(topmost);
  for (let one = folder; ; one = dirname(one)) {
    await files.syncFolder(one);
    if (one === above || one === dirname(one)) return;
  }
}

/** Takes away what killed processes were writing. */
async function removeUnfinished(files: Files, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (const name of await files.names(folder))
      if (name.endsWith(`.jsonl${UNFINISHED}`)) await files.remove(join(folder, name));
  }
}

function toError(store: string): (error: unknown, operation: string) => TinyAgentsError {
  return (error, operation) => storeFailure(store, operation, error, { retryable: isPassingFileError(error) });
}
