import {
  type AppendStore,
  type CheckpointStore,
  checkFields,
  invalidArgument,
  readWholeNumber,
} from "@tinyagents/core";
import { appendRow } from "./append-row.js";
import { checkText, checkThread, copyRow, copyTask } from "./check-arguments.js";
import { ownedByNewer } from "./conflicts.js";
import { copyThread } from "./copy-thread.js";
import { Lineages } from "./lineages.js";
import { listBefore, loadChain } from "./load.js";
import { prune } from "./prune.js";
import { listThreads, namespacesOf, rootLast } from "./threads.js";

export interface CheckpointStoreOptions {
  /** What names of streams start with. Default `checkpoints`. */
  readonly prefix?: string | undefined;
}

/**
 * Checkpoints in a log: one stream per thread and graph, named by the prefix, the thread id and the namespace, in which `%` is
 * written `%25` and `/` `%2F`. Rows and what tasks leave are entries of it, each written once. An entry says where the newest
 * checkpoint and its base stand, so adding one reads nothing, and restoring one reads from its base on.
 *
 * Several stores on one log, in several processes where it has `multiProcess`, may be used at once.
 */
export function checkpointStore(
  log: AppendStore,
  { prefix = "checkpoints" }: CheckpointStoreOptions = {},
): CheckpointStore {
  if (prefix === "") throw new TypeError("checkpointStore: prefix must not be empty");
  const lineages = new Lineages(log, prefix);
  const { durable, multiProcess } = log.capabilities;
  return {
    capabilities: { durable, multiProcess },
    async append(row, { expectedHead, fence = 0 }, options = {}) {
      const copied = copyRow(row);
      checkFence(fence, 0);
      if (expectedHead !== null) checkText(expectedHead, "expectedHead");
      await lineages.use(copied, ({ entries }) => appendRow(entries, copied, { expectedHead, fence }, options));
    },
    async putWrites(task, { fence = 0 } = {}, { signal } = {}) {
      checkThread(task);
      checkText(task.checkpointId, "checkpointId");
      checkFence(fence, 0);
      const wanted = { checkpointId: task.checkpointId, task: copyTask(task), fence, signal };
      await lineages.use(task, ({ tasks }) => tasks.add(wanted));
    },
    async claim(thread, fence, options = {}) {
      checkThread(thread);
      checkFence(fence, 1);
      await lineages.use(thread, ({ entries }) =>
        entries.write((end) => {
          if (fence < end.fence) throw ownedByNewer(thread, fence, end.fence);
          if (fence === end.fence) return [];
          const { headAt = null, baseAt = null } = end.head ?? {};
          return [{ v: 1, type: "claim", headAt, baseAt, fence }];
        }, options),
      );
    },
    async load(thread, { checkpointId, ...options } = {}) {
      checkThread(thread);
      if (checkpointId !== undefined) checkText(checkpointId, "checkpointId");
      return lineages.use(thread, ({ entries }) => loadChain(entries, thread, checkpointId, options));
    },
    async list(thread, { before, limit, ...options } = {}) {
      checkThread(thread);
      if (before !== undefined) checkText(before, "before");
      const most = readWholeNumber(limit ?? 100, 1, "limit");
      return lineages.use(thread, ({ entries }) => listBefore(entries, before, most, options));
    },
    async threads({ cursor, limit, ...options } = {}) {
      checkFields(options, ["signal"], "query");
      if (cursor !== undefined) checkText(cursor, "cursor");
      return listThreads(log, prefix, cursor, readWholeNumber(limit ?? 100, 1, "limit"), options);
    },
    async namespaces(threadId, options = {}) {
      checkText(threadId, "threadId");
      return namespacesOf(log, prefix, threadId, options);
    },
    async deleteThread(threadId, options = {}) {
      checkText(threadId, "threadId");
      let deleted = false;
      for (const namespace of rootLast(await namespacesOf(log, prefix, threadId, options))) {
        const gone = await lineages.use({ threadId, namespace }, ({ entries }) => entries.delete(options));
        deleted ||= gone;
      }
      return deleted;
    },
    async copyThread(threadId, toThreadId, options = {}) {
      checkText(threadId, "threadId");
      checkText(toThreadId, "toThreadId");
      if (threadId === toThreadId) throw invalidArgument("toThreadId", "another thread is expected");
      await copyThread(lineages, await namespacesOf(log, prefix, threadId, options), {
        threadId,
        toThreadId,
        taken: (await namespacesOf(log, prefix, toThreadId, options)).length > 0,
        options,
      });
    },
    async prune(thread, { keep, ...options }) {
      checkThread(thread);
      const kept = readWholeNumber(keep, 1, "keep");
      return lineages.use(thread, ({ entries }) => prune(entries, kept, options));
    },
  };
}

function checkFence(fence: number, least: number): void {
  readWholeNumber(fence, least, "fence");
}
