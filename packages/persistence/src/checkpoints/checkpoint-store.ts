import {
  type AppendStore,
  type CheckpointStore,
  type Clock,
  checkFields,
  checkOptions,
  type FieldRule,
  invalidArgument,
  readWholeNumber,
  systemClock,
  throwIfAborted,
} from "@tinyagents/core";
import { rules } from "../option-rules.js";
import { appendRow } from "./append-row.js";
import { checkText, checkThread, copyRow, copyTask } from "./check-arguments.js";
import { beingCopied, ownedByNewer, threadTaken } from "./conflicts.js";
import { copyThread } from "./copy-thread.js";
import { placesOf } from "./lineage.js";
import { Lineages } from "./lineages.js";
import { listBefore, loadChain } from "./load.js";
import { prune } from "./prune.js";
import { listThreads, namespacesOf, rootLast } from "./threads.js";

export interface CheckpointStoreOptions {
  /** What names of streams start with. Default `checkpoints`. */
  readonly prefix?: string | undefined;
  /** Default: real time. */
  readonly clock?: Clock | undefined;
}

const RULES: { readonly [Option in keyof CheckpointStoreOptions]-?: FieldRule } = {
  prefix: rules.name,
  clock: rules.clock,
};

/**
 * Checkpoints in a log: one stream per thread and graph, named by the prefix, the thread id and the namespace, in which `%` is
 * written `%25` and `/` `%2F`. Rows and what tasks leave are entries of it, each written once. An entry says where the newest
 * checkpoint and its base stand, so adding one reads nothing, and restoring one reads from its base on.
 *
 * Several stores on one log, in several processes where it has `multiProcess`, may be used at once. A store trusts what it knows
 * of a thread for 50 ms. A thread that somebody else deletes and begins anew within that time, with just as many entries, is
 * taken for the old one: stop who writes to a thread before it is deleted.
 * @throws `TypeError` for options that cannot be.
 */
export function checkpointStore(log: AppendStore, options: CheckpointStoreOptions = {}): CheckpointStore {
  checkOptions(options, RULES, "checkpointStore: options");
  const { prefix = "checkpoints", clock = systemClock } = options;
  const lineages = new Lineages(log, prefix, clock);
  const { durable, multiProcess } = log.capabilities;
  return {
    capabilities: { durable, multiProcess },
    async append(row, terms, { signal } = {}) {
      const copied = copyRow(row);
      checkFields(terms, ["expectedHead", "fence"], "terms");
      const { expectedHead, fence = 0 } = terms;
      readWholeNumber(fence, 0, "fence");
      if (expectedHead !== null) checkText(expectedHead, "expectedHead");
      await lineages.use(copied, ({ entries }) => appendRow(entries, copied, { expectedHead, fence }, { signal }));
    },
    async putWrites(task, terms = {}, { signal } = {}) {
      checkThread(task);
      checkText(task.checkpointId, "checkpointId");
      checkFields(terms, ["fence"], "terms");
      const { fence = 0 } = terms;
      readWholeNumber(fence, 0, "fence");
      const wanted = { checkpointId: task.checkpointId, task: copyTask(task), fence };
      await lineages.use(task, ({ tasks }) => tasks.add(wanted, signal));
    },
    async claim(thread, fence, { signal } = {}) {
      checkThread(thread);
      readWholeNumber(fence, 1, "fence");
      await lineages.use(thread, ({ entries }) =>
        entries.write(
          (end) => {
            if (end.copying) throw beingCopied(thread);
            if (fence < end.fence) throw ownedByNewer(thread, fence, end.fence);
            return fence === end.fence ? [] : [{ ...placesOf(end), type: "claim", fence }];
          },
          { signal },
        ),
      );
    },
    async load(thread, query = {}) {
      checkThread(thread);
      checkFields(query, ["checkpointId", "signal"], "query");
      const { checkpointId, signal } = query;
      if (checkpointId !== undefined) checkText(checkpointId, "checkpointId");
      const { threadId, namespace } = thread;
      return lineages.use(thread, ({ entries }) =>
        loadChain(entries, { threadId, namespace }, checkpointId, { signal }),
      );
    },
    async list(thread, query = {}) {
      checkThread(thread);
      checkFields(query, ["before", "limit", "signal"], "query");
      const { before, limit, signal } = query;
      if (before !== undefined) checkText(before, "before");
      const most = readWholeNumber(limit ?? 100, 1, "limit");
      return lineages.use(thread, ({ entries }) => listBefore(entries, before, most, { signal }));
    },
    async threads(query = {}) {
      checkFields(query, ["cursor", "limit", "signal"], "query");
      const { cursor, limit, signal } = query;
      if (cursor !== undefined) checkText(cursor, "cursor");
      return listThreads(log, prefix, cursor, readWholeNumber(limit ?? 100, 1, "limit"), { signal });
    },
    async namespaces(threadId, { signal } = {}) {
      checkText(threadId, "threadId");
      return namespacesOf(log, prefix, threadId, { signal });
    },
    async deleteThread(threadId, { signal } = {}) {
      checkText(threadId, "threadId");
      let deleted = false;
      for (const namespace of rootLast(await namespacesOf(log, prefix, threadId, { signal }))) {
        const gone = await lineages.use({ threadId, namespace }, ({ entries }) => entries.delete({ signal }));
        deleted ||= gone;
      }
      return deleted;
    },
    async copyThread(threadId, toThreadId, { signal } = {}) {
      checkText(threadId, "threadId");
      checkText(toThreadId, "toThreadId");
      throwIfAborted(signal);
      if (threadId === toThreadId) throw invalidArgument("toThreadId", "another thread is expected");
      const namespaces = await namespacesOf(log, prefix, threadId, { signal });
      if ((await namespacesOf(log, prefix, toThreadId, { signal })).length > 0) throw threadTaken(toThreadId);
      await copyThread(lineages, namespaces, { threadId, toThreadId, options: { signal } });
    },
    async prune(thread, query) {
      checkThread(thread);
      checkFields(query, ["keep", "signal"], "query");
      const { keep, signal } = query;
      readWholeNumber(keep, 1, "keep");
      return lineages.use(thread, ({ entries }) => prune(entries, keep, { signal }));
    },
  };
}
