import {
  checkOptions,
  corruptData,
  type FieldRule,
  isTinyAgentsError,
  type JsonValue,
  messageOf,
  optionRules,
  readThreadState,
  type ShortTermMemory,
  type Store,
  type StoreKey,
  type StoreRecord,
  type ThreadState,
  TinyAgentsError,
  throwIfAborted,
} from "@tinyagents/core";
import { rules } from "../option-rules.js";
import { applyPolicy, type MemoryPolicy } from "./policy.js";

export interface ShortTermMemoryOptions {
  /** The names before the thread id in the key of a thread's record. Default `["memory"]`. */
  readonly prefix?: StoreKey | undefined;
  /** Changes what a run gets of what is stored, at every load. What is stored stays. Default: nothing. */
  readonly onLoad?: MemoryPolicy | undefined;
  /** Changes what is stored of what a run saves. Default: nothing. */
  readonly onSave?: MemoryPolicy | undefined;
}

const RULES: { readonly [Option in keyof ShortTermMemoryOptions]-?: FieldRule } = {
  prefix: rules.keyPrefix,
  onLoad: optionRules.call,
  onSave: optionRules.call,
};

/**
 * The memory of threads in a keyed store: one record per thread, under the prefix and the thread id. Thread ids are
 * opaque; any character may be in them, only an empty one is refused.
 *
 * Both methods throw `memory_failed`, with the error as `cause`, when the store or a policy fails. What says more by itself
 * passes as it is: `conflict`, `invalid_request`, and `corrupt_data` and `version_mismatch` of a stored record. A `signal`
 * that aborts stops all but the write of a thread.
 * @throws `TypeError` for options that cannot be.
 */
export function shortTermMemory(store: Store, options: ShortTermMemoryOptions = {}): ShortTermMemory {
  checkOptions(options, RULES, "shortTermMemory: options");
  const { prefix = ["memory"], onLoad, onSave } = options;
  const keyOf = (threadId: string): StoreKey => [...prefix, threadId];
  return {
    async load(threadId, { signal } = {}) {
      const record = await attempt(threadId, "load", () => store.get(keyOf(threadId), { signal }), signal);
      if (record === undefined) return undefined;
      const stored = readThread(record, placeOf(threadId));
      const state = onLoad === undefined ? stored : await applyPolicy(onLoad, stored, "load", { threadId, signal });
      return { state, version: record.version };
    },
    async save(threadId, given, { ifVersion, signal }) {
      const state = onSave === undefined ? given : await applyPolicy(onSave, given, "save", { threadId, signal });
      throwIfAborted(signal);
      const value = state as unknown as JsonValue;
      return attempt(threadId, "save", () => store.put(keyOf(threadId), { type: "json", value }, { ifVersion }));
    },
  };
}

function placeOf(threadId: string): string {
  return `memory of thread ${JSON.stringify(threadId)}`;
}

function readThread({ value }: StoreRecord, place: string): ThreadState {
  if (value.type !== "json") throw corruptData(place, `JSON is expected, ${value.type} found`);
  return readThreadState(value.value, place);
}

/** Codes that tell more by themselves than `memory_failed` would. */
const TELLING = ["invalid_request", "corrupt_data", "version_mismatch"] as const;

async function attempt<T>(
  threadId: string,
  operation: "load" | "save",
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throwIfAborted(signal);
    if (isTinyAgentsError(error, "conflict")) throw savedByAnother(threadId, error);
    if (TELLING.some((code) => isTinyAgentsError(error, code))) throw error;
    throw new TinyAgentsError("memory_failed", `Could not ${operation} the ${placeOf(threadId)}: ${messageOf(error)}`, {
      details: { threadId, operation },
      retryable: isTinyAgentsError(error) && error.retryable,
      cause: error,
    });
  }
}

function savedByAnother(threadId: string, cause: TinyAgentsError<"conflict">): TinyAgentsError<"conflict"> {
  return new TinyAgentsError(
    "conflict",
    `Another run has saved the ${placeOf(threadId)} since this one loaded it. Nothing was saved; run again on what is there now.`,
    { details: { ...cause.details, resource: placeOf(threadId) }, cause },
  );
}
