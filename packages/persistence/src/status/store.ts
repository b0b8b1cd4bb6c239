import {
  type Clock,
  checkOptions,
  type FieldRule,
  invalidArgument,
  isTinyAgentsError,
  messageOf,
  type Page,
  RUN_STATES,
  type RunState,
  type RunStatusQuery,
  type RunStatusRecord,
  type RunStatusStore,
  readRunStatus,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  systemClock,
  TinyAgentsError,
} from "@tinyagents/core";
import { checkId, checkStates } from "../indexed/arguments.js";
import { checkOrderQuery, IndexedRecords } from "../indexed/indexed-records.js";
import { listMatching } from "../indexed/list-matching.js";
import { rules } from "../option-rules.js";
import { acceptedStatus } from "./new-status.js";
import { runStatusKind } from "./run-kind.js";

export interface RunStatusStoreOptions {
  /** The names before all keys. Default `["runs"]`. */
  readonly prefix?: StoreKey | undefined;
  /** When runs are accepted. Default: real time. */
  readonly clock?: Clock | undefined;
}

const RULES: { readonly [Option in keyof RunStatusStoreOptions]-?: FieldRule } = {
  prefix: rules.keyPrefix,
  clock: rules.clock,
};

/**
 * Where runs are, in a keyed store: one record per run, found by id, state, thread and tree.
 * @throws `TypeError` for options that cannot be.
 */
export function runStatusStore(store: Store, options: RunStatusStoreOptions = {}): RunStatusStore {
  checkOptions(options, RULES, "runStatusStore: options");
  const { prefix = ["runs"], clock = systemClock } = options;
  const records = new IndexedRecords(store, runStatusKind(prefix), clock);
  return {
    async accept(admission, call) {
      const status = acceptedStatus(admission, clock.now());
      try {
        return { status, version: await records.put(status.runId, status, null, call) };
      } catch (error) {
        throw isTinyAgentsError(error, "conflict") ? acceptedAlready(status, error) : error;
      }
    },
    async get(runId, call) {
      const found = await records.get(runId, call);
      return found && { status: found.record, version: found.version };
    },
    async save(status, { ifVersion, signal }) {
      return records.put(status.runId, checkedStatus(status), ifVersion, { signal });
    },
    list: (query = {}, call) => listRuns(records, query, call),
    delete: (runId, call) => records.delete(runId, undefined, call),
  };
}

async function listRuns(
  records: IndexedRecords<RunStatusRecord>,
  query: RunStatusQuery,
  call: StoreCallOptions | undefined,
): Promise<Page<RunStatusRecord>> {
  checkOrderQuery(query, ["threadId", "rootRunId", "states"]);
  const { threadId, rootRunId, states, ...page } = query;
  if (threadId !== undefined && rootRunId !== undefined)
    throw invalidArgument("query", "threadId and rootRunId cannot both be asked for; leave one out");
  const wanted = checkStates<RunState>(states, RUN_STATES);
  const isWanted = ({ state }: RunStatusRecord): boolean => wanted?.includes(state) ?? true;
  const list = (order: string, ...parts: readonly string[]): Promise<Page<RunStatusRecord>> =>
    listMatching(records, order, parts, page, isWanted, call);
  if (rootRunId !== undefined) return list("root", checkId(rootRunId, "query.rootRunId"));
  if (threadId !== undefined) return list("thread", checkId(threadId, "query.threadId"));
  if (wanted === undefined) return list("time");
  const [state, ...others] = wanted;
  if (state !== undefined && others.length === 0) return list("state", state);
  throw invalidArgument("query.states", "one state is expected, unless threadId or rootRunId says whose runs");
}

/** Also a run below another has an id: that of its parent, and that of the call which started it. */
function acceptedAlready({ runId }: RunStatusRecord, cause: TinyAgentsError<"conflict">): TinyAgentsError<"conflict"> {
  return new TinyAgentsError(
    "conflict",
    `There is a run ${JSON.stringify(runId)} already, which may be one below another run. Nothing was noted; give the run an id of its own.`,
    { details: cause.details, cause, runId },
  );
}

/** @throws `invalid_request` for what could not be read again, and would then be lost. */
function checkedStatus(status: RunStatusRecord): RunStatusRecord {
  try {
    return readRunStatus(status, "status");
  } catch (error) {
    throw invalidArgument("status", messageOf(error));
  }
}
