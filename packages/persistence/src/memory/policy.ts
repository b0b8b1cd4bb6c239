import {
  isTinyAgentsError,
  messageOf,
  readThreadState,
  type ThreadState,
  TinyAgentsError,
  throwIfAborted,
} from "@tinyagents/core";

/** For whom a policy works. */
export interface MemoryPolicyContext {
  readonly threadId: string;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal | undefined;
}

/**
 * What is to be remembered in place of a state. It changes nothing in place, takes over what it does not mean to drop
 * (`{ ...state, messages }`), and keeps calls together with their results. `savedBy` stays as it is, whatever it gives.
 */
export type MemoryPolicy = (state: ThreadState, context: MemoryPolicyContext) => ThreadState | Promise<ThreadState>;

/**
 * Applies a policy, and looks at what it gives.
 * @throws `memory_failed` for a policy that fails, or gives no state of a thread; the reason of `signal`.
 */
export async function applyPolicy(
  policy: MemoryPolicy,
  state: ThreadState,
  operation: "load" | "save",
  context: MemoryPolicyContext,
): Promise<ThreadState> {
  const { threadId, signal } = context;
  throwIfAborted(signal);
  let changed: ThreadState;
  try {
    changed = readThreadState(await policy(state, context), "what it gave");
  } catch (error) {
    throwIfAborted(signal);
    throw policyFailed(threadId, operation, error);
  }
  throwIfAborted(signal);
  const { savedBy: _, ...kept } = changed;
  return state.savedBy === undefined ? kept : { ...kept, savedBy: state.savedBy };
}

function policyFailed(threadId: string, operation: "load" | "save", error: unknown): TinyAgentsError {
  const where = `the memory of thread ${JSON.stringify(threadId)}`;
  return new TinyAgentsError(
    "memory_failed",
    `Could not ${operation} ${where}: its policy failed. ${messageOf(error)}`,
    {
      details: { threadId, operation },
      retryable: isTinyAgentsError(error) && error.retryable,
      cause: error,
    },
  );
}
