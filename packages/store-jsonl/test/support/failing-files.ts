import { type Files, nodeFiles, type OpenFile } from "../../src/files.js";

/** What can be made to fail. */
export type Step = "write" | "sync" | "truncate" | "rename" | "syncFolder" | "link" | "open" | "close" | "read";

interface FailOptions {
  readonly times?: number;
  readonly after?: number;
  /** So many bytes of a write are written before it fails. */
  readonly partBytes?: number;
  /** Only files whose path matches. */
  readonly path?: RegExp;
}

export interface FailingFiles {
  readonly files: Files;
  /** Lets steps of a kind fail: `times` of them, behind the next `after`. */
  fail(step: Step, options?: FailOptions): void;
  /** Steps that were taken. */
  readonly steps: string[];
}

/** The file system of this machine, whose disk is full and whose cable is loose when a test says so. */
export function failingFiles(): FailingFiles {
  const due = new Map<Step, { times: number; after: number; partBytes: number; path: RegExp }>();
  const steps: string[] = [];
  const check = async (step: Step, path: string, beforehand?: (bytes: number) => Promise<void>): Promise<void> => {
    steps.push(step);
    const found = due.get(step);
    if (found === undefined || found.times === 0 || !found.path.test(path)) return;
    if (found.after-- > 0) return;
    found.times--;
    await beforehand?.(found.partBytes);
    throw Object.assign(new Error(`ENOSPC: no space left on device, ${step}`), { code: "ENOSPC" });
  };
  const failingFile = (file: OpenFile, path: string): OpenFile => ({
    ...file,
    async read(into, position) {
      await check("read", path);
      return file.read(into, position);
    },
    async write(bytes, position) {
      await check("write", path, (part) => file.write(bytes.subarray(0, part), position));
      await file.write(bytes, position);
    },
    async sync() {
      await check("sync", path);
      await file.sync();
    },
    async truncate(size) {
      await check("truncate", path);
      await file.truncate(size);
    },
  });
  return {
    steps,
    fail: (step, { times = 1, after = 0, partBytes = 0, path = /\.jsonl/ } = {}) =>
      void due.set(step, { times, after, partBytes, path }),
    files: {
      ...nodeFiles,
      async open(path, mode) {
        await check("open", path);
        return failingFile(await nodeFiles.open(path, mode), path);
      },
      async rename(from, to) {
        await check("rename", to);
        await nodeFiles.rename(from, to);
      },
      async syncFolder(folder) {
        await check("syncFolder", folder);
        await nodeFiles.syncFolder(folder);
      },
      async link(from, to) {
        await check("link", to);
        return nodeFiles.link(from, to);
      },
    },
  };
}
