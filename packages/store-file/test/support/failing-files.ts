import { type Files, nodeFiles, type OpenFile } from "../../src/files.js";

/** What leaves a trace, and can be made to fail. */
export type Step = "open" | "write" | "sync" | "link" | "rename" | "makeFolder" | "syncFolder";

interface FailOptions {
  readonly times?: number;
  readonly after?: number;
  readonly code?: string;
}

export interface FailingFiles {
  readonly files: Files;
  /** Lets steps of these kinds fail: `times` of them, behind the next `after`. */
  fail(steps: readonly Step[], options?: FailOptions): void;
  /** Steps that were taken. */
  readonly steps: string[];
}

/** The file system of this machine, whose disk is full when a test says so. Half of a write that fails is written. */
export function failingFiles(): FailingFiles {
  const steps: string[] = [];
  let due: { steps: readonly Step[]; times: number; after: number; code: string } | undefined;
  const check = async (step: Step, beforehand?: () => Promise<void>): Promise<void> => {
    steps.push(step);
    if (due === undefined || due.times === 0 || !due.steps.includes(step) || due.after-- > 0) return;
    due.after = 0;
    due.times--;
    await beforehand?.();
    throw Object.assign(new Error(`${due.code}: the disk refused to ${step}`), { code: due.code });
  };
  const failingFile = (file: OpenFile): OpenFile => ({
    ...file,
    async write(bytes, position) {
      await check("write", () => file.write(bytes.subarray(0, bytes.byteLength / 2), position));
      await file.write(bytes, position);
    },
    async sync() {
      await check("sync");
      await file.sync();
    },
  });
  const before =
    <A extends unknown[], T>(step: Step, work: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      await check(step);
      return work(...args);
    };
  return {
    steps,
    fail(kinds, { times = 1, after = 0, code = "ENOSPC" } = {}) {
      due = { steps: kinds, times, after, code };
    },
    files: {
      ...nodeFiles,
      async open(path, mode) {
        if (mode === "create") await check("open");
        return failingFile(await nodeFiles.open(path, mode));
      },
      link: before("link", nodeFiles.link),
      rename: before("rename", nodeFiles.rename),
      makeFolder: before("makeFolder", nodeFiles.makeFolder),
      syncFolder: before("syncFolder", nodeFiles.syncFolder),
    },
  };
}
