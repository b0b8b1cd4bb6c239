import type { ErrorCode } from "../errors.js";

/** The codes that a status alone can stand for. */
export type StatusCode = Extract<
  ErrorCode,
  | "network"
  | "provider_auth"
  | "provider_bad_request"
  | "provider_billing"
  | "provider_overloaded"
  | "provider_rate_limit"
  | "provider_server"
>;

/**
 * What an HTTP status says of a failed request, for a server that says no more. 408 is `network`: the server waited for
 * a request that did not come.
 */
export function codeOfStatus(status: number): StatusCode {
  switch (status) {
    case 401:
    case 403:
      return "provider_auth";
    case 402:
      return "provider_billing";
    case 408:
      return "network";
    case 429:
      return "provider_rate_limit";
    case 503:
    case 529:
      return "provider_overloaded";
    default:
      return status >= 500 ? "provider_server" : "provider_bad_request";
  }
}

/** How deep causes are followed. */
const DEEPEST = 5;

/** The system's code for a failed connection (`ECONNREFUSED`), wherever in the chain of causes it stands. */
export function systemCodeOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < DEEPEST; at = at.cause, depth++) {
    const { code } = at as { readonly code?: unknown };
    if (typeof code === "string") return code;
  }
  return undefined;
}

/** Codes of the system for what may be over in a moment: something is in use, or there is too much of it just now. */
const PASSING: ReadonlySet<string | undefined> = new Set(["EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE", "ENOMEM"]);

/** Whether the system's code for a failed access to files says that a repeat may help. A full disk does not: somebody has to make room. */
export function isPassingFileError(error: unknown): boolean {
  return PASSING.has(systemCodeOf(error));
}
