import {
  corruptData,
  isTinyAgentsError,
  type JsonValue,
  messageOf,
  readMessages,
  readObject,
  readVersion,
  type ShortTermMemory,
  type Store,
  type StoreKey,
  type StoreRecord,
  type ThreadState,
  TinyAgentsError,
} from "@tinyagents/core";

export interface ShortTermMemoryOptions {
  /** The names before the thread id in the key of a thread's record. Default `["memory"]`. */
  readonly prefix?: StoreKey | undefined;
}

/**
 * The memory of threads in a keyed store: one record per thread, under the prefix and the thread id. Thread ids are
 * opaque; any character may be in them, only an empty one is refused.
 *
 * Both methods throw `memory_failed`, with the store's error as `cause`, when the store fails. What says more by itself
 * passes as it is: `conflict`, `invalid_request`, and `corrupt_data` and `version_mismatch` of a stored record.
 */
export function shortTermMemory(store: Store, { prefix = ["memory"] }: ShortTermMemoryOptions = {}): ShortTermMemory {
  const keyOf = (threadId: string): StoreKey => [...prefix, threadId];
  return {
    async load(threadId) {
      const record = await attempt(threadId, "load", () => store.get(keyOf(threadId)));
      return record && { state: readThread(record, placeOf(threadId)), version: record.version };
    },
    save(threadId, state, { ifVersion }) {
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
  const state = readObject(value.value, place);
  readVersion(state, 1, place);
  readMessages(state.messages, `${place}.messages`);
  if (state.middleware !== undefined) readObject(state.middleware, `${place}.middleware`);
  return state as unknown as ThreadState;
}

/** Codes that tell more by themselves than `memory_failed` would. */
const TELLING = ["invalid_request", "corrupt_data", "version_mismatch"] as const;

async function attempt<T>(threadId: string, operation: "load" | "save", work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
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
