import { type Files, nodeFiles, type OpenFile } from "../../src/files.js";

/** What can be made to fail. */
export type Step = "write" | "sync" | "truncate" | "rename" | "syncFolder" | "link" | "open" | "close" | "read";

export interface FailingFiles {
  readonly files: Files;
  /** Lets the next steps of a kind fail, so many of them; `partBytes` of a write are written before it does. */
  fail(step: Step, options?: { readonly times?: number; readonly partBytes?: number; readonly path?: RegExp }): void;
  /** Steps that were taken. */
  readonly steps: string[];
}

/** The file system of this machine, whose disk is full and whose cable is loose when a test says so. */
export function failingFiles(): FailingFiles {
  const due = new Map<Step, { times: number; partBytes: number; path: RegExp }>();
  const steps: string[] = [];
  const check = async (step: Step, path: string, beforehand?: (bytes: number) => Promise<void>): Promise<void> => {
    steps.push(step);
    const found = due.get(step);
    if (found === undefined || found.times === 0 || !found.path.test(path)) return;
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
    fail: (step, { times = 1, partBytes = 0, path = /\.jsonl/ } = {}) => due.set(step, { times, partBytes, path }),
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
