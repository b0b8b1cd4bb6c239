import { storeFailure, type TinyAgentsError } from "@tinyagents/core";

/** The driver's classes of errors by name: an error may come from another copy of the driver. */
const PASSING =
  /^Mongo(Network|ServerSelection|PoolCleared|PoolClosed|WaitQueue|OperationTimeout|NotConnected|Topology)/;
/** A write that met another, a lock that was not had in time, a server that is starting, stopping or no longer the primary. */
const PASSING_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 24, 50, 89, 91, 112, 189, 251, 262, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);
const PASSING_LABELS: ReadonlySet<unknown> = new Set([
  "RetryableWriteError",
  "TransientTransactionError",
  "UnknownTransactionCommitResult",
]);

/** What the driver threw as `store_failed`: `retryable` where a repeat can help. */
export function toError(
  store: string,
  operation: string,
  error: unknown,
  secrets: readonly string[],
): TinyAgentsError<"store_failed"> {
  return storeFailure(store, operation, error, { retryable: mayPass(error), secrets });
}

function mayPass(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { name, code, errorLabels } = error as { name?: unknown; code?: unknown; errorLabels?: unknown };
  if (typeof name === "string" && PASSING.test(name)) return true;
  if (PASSING_CODES.has(code)) return true;
  const labels =
    errorLabels instanceof Set || Array.isArray(errorLabels) ? [...(errorLabels as Iterable<unknown>)] : [];
  return labels.some((label) => PASSING_LABELS.has(label));
}
