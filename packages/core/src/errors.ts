import { boundedText } from "./bounded-text.js";
import type { JsonObject, JsonValue } from "./json.js";
import type { HookName } from "./middleware/middleware.js";

/** Every {@link LimitName}. */
export const LIMIT_NAMES = [
  "maxModelCalls",
  "maxToolCalls",
  "maxRetries",
  "maxCorrections",
  "maxTotalTokens",
  "wallClockMs",
] as const;

/** A limit that a run can hit, as options name it. */
export type LimitName = (typeof LIMIT_NAMES)[number];

/** What expired. */
export type TimeoutScope = "model_call" | "tool_call";

/** Every code with the shape of its details. Details are plain JSON and safe to log. */
export interface ErrorDetails {
  /** The caller asked for something that cannot be. `argument`: the place of what stands in the way, where stores know it. */
  invalid_request: { readonly reason?: string; readonly argument?: string };
  /** Nobody knows a model of this name; an empty name where none was said. `available`: the names there are, where known. */
  model_not_found: { readonly model: string; readonly provider?: string; readonly available?: readonly string[] };
  /** The model lacks what the request needs. */
  capability_missing: { readonly model: string; readonly capabilities: readonly string[] };
  tool_not_found: { readonly tool: string; readonly available: readonly string[] };
  tool_schema_invalid: { readonly tool: string; readonly reason: string };
  tool_arguments_invalid: { readonly tool: string; readonly issues: readonly ArgumentIssue[] };
  tool_failed: { readonly tool: string; readonly callId?: string };
  tool_denied: { readonly tool: string; readonly callId?: string; readonly reason: string };
  /** The key is missing, wrong, or not allowed to do this. */
  provider_auth: ProviderFailure;
  /** Quota or credit is used up: waiting does not help. */
  provider_billing: ProviderFailure;
  provider_rate_limit: ProviderFailure & { readonly retryAfterMs?: number };
  provider_overloaded: ProviderFailure & { readonly retryAfterMs?: number };
  provider_server: ProviderFailure & { readonly retryAfterMs?: number };
  provider_bad_request: ProviderFailure;
  provider_content_filter: ProviderFailure;
  context_window_exceeded: ProviderFailure & { readonly limitTokens?: number; readonly askedTokens?: number };
  /** A connection failed, or a stream ended before its finishing frame. `partialText`: what had arrived. */
  network: { readonly provider?: string; readonly reason?: string; readonly partialText?: string };
  timeout: { readonly scope: TimeoutScope; readonly limitMs: number; readonly name?: string };
  /** `ignoredBy`: what had not settled when the wait for it ended. */
  cancelled: { readonly reason?: string; readonly ignoredBy?: readonly string[] };
  retry_exhausted: { readonly attempts: number; readonly lastCode: ErrorCode };
  limit_exceeded: { readonly limit: LimitName; readonly allowed: number; readonly counters: JsonObject };
  /** The run repeats itself without getting further. */
  no_progress: { readonly repeats: number; readonly calls: readonly string[] };
  /** `text`: the raw answer. `reason`: why it does not count (`refusal`, `length`, `invalid`, ...). */
  structured_output_invalid: {
    readonly reason: string;
    readonly text: string;
    readonly finishReason: string;
    readonly issues: readonly ArgumentIssue[];
    /** What the run had counted. */
    readonly counters?: JsonObject;
  };
  middleware_failed: { readonly middleware: string; readonly hook: HookName | "history" | "control" };
  memory_failed: { readonly threadId: string; readonly operation: "load" | "save" };
  store_failed: { readonly store: string; readonly operation: string };
  conflict: { readonly resource: string; readonly expected: JsonValue; readonly found: JsonValue };
  /** `place`: a path or name that leads to the bad value. */
  corrupt_data: { readonly place: string; readonly reason: string };
  recursion_limit: { readonly depth: number; readonly allowed: number };
  resume_mismatch: { readonly reason: string };
  version_mismatch: { readonly place: string; readonly expected: number; readonly found: JsonValue };
  /** Something of ours is wrong. */
  internal: { readonly reason: string };
}

/** What all failures of a provider tell. `status` is the HTTP status where there was one. */
export interface ProviderFailure {
  readonly provider: string;
  readonly status?: number;
  /** The provider's own code or type for it. */
  readonly providerCode?: string;
  readonly requestId?: string;
}

/** One thing that is wrong with arguments or with a structured answer. */
export interface ArgumentIssue {
  /** Where, as `items[2].name`; empty for the whole value. */
  readonly path: string;
  readonly message: string;
}

/** Every error code. The code is API; messages are for people. */
export type ErrorCode = keyof ErrorDetails;

/** An error as data: what `toJSON` gives, and what state and events hold. */
export interface ErrorRecord<C extends ErrorCode = ErrorCode> {
  readonly name: "TinyAgentsError";
  readonly code: C;
  readonly message: string;
  readonly retryable: boolean;
  readonly details: ErrorDetails[C];
  readonly runId?: string;
  /** The model call or tool call that failed, as events name it. */
  readonly callId?: string;
}

/** What an error may be given besides code, message and details. */
export interface TinyAgentsErrorOptions {
  /** Whether a repeat could help. Default: as the code says, see {@link retryableByDefault}. */
  readonly retryable?: boolean | undefined;
  /** What went wrong below. Kept for people with a debugger; never part of `toJSON`. */
  readonly cause?: unknown;
  readonly runId?: string | undefined;
  readonly callId?: string | undefined;
}

/** Registered, and absent from the types: errors of a second installed copy are recognised and assignable. */
const BRAND: symbol = Symbol.for("@tinyagents/error");

const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "network",
  "timeout",
  "provider_rate_limit",
  "provider_overloaded",
  "provider_server",
]);

/** Whether a failure with this code can pass by itself, when whoever saw it did not say. */
export function retryableByDefault(code: ErrorCode): boolean {
  return RETRYABLE.has(code);
}

/** The one error class. `code` says what happened and types `details`. */
export class TinyAgentsError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "TinyAgentsError";
  readonly code: C;
  readonly details: ErrorDetails[C];
  /** Whether a repeat could help: said by whoever saw the failure. */
  readonly retryable: boolean;
  declare readonly runId?: string;
  declare readonly callId?: string;

  constructor(code: C, message: string, options: TinyAgentsErrorOptions & { readonly details: ErrorDetails[C] }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryable = options.retryable ?? retryableByDefault(code);
    if (options.runId !== undefined) this.runId = options.runId;
    if (options.callId !== undefined) this.callId = options.callId;
  }

  static {
    // biome-ignore lint/complexity/noThisInStatic: bundlers rename a class that names itself, and people would see that
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }

  /** The error as data, without its cause and its stack. A message without end is cut. */
  toJSON(): ErrorRecord<C> {
    return {
      name: "TinyAgentsError",
      code: this.code,
      message: boundedText(this.message),
      retryable: this.retryable,
      details: this.details,
      ...(this.runId === undefined ? {} : { runId: this.runId }),
      ...(this.callId === undefined ? {} : { callId: this.callId }),
    };
  }
}

/** An error of any code, narrowed by `code`. */
export type AnyTinyAgentsError = { [C in ErrorCode]: TinyAgentsError<C> }[ErrorCode];

/** Whether something is our error, with this code where one is given. Works across several installed copies. */
export function isTinyAgentsError(error: unknown): error is AnyTinyAgentsError;
export function isTinyAgentsError<C extends ErrorCode>(error: unknown, code: C): error is TinyAgentsError<C>;
export function isTinyAgentsError(error: unknown, code?: ErrorCode): boolean {
  if (typeof error !== "object" || error === null) return false;
  try {
    const { [BRAND]: branded, code: found, message } = error as { readonly [key: PropertyKey]: unknown };
    if (branded !== true || typeof found !== "string" || typeof message !== "string") return false;
    return code === undefined || found === code;
  } catch {
    // What throws when it is looked at is nothing of ours.
    return false;
  }
}

/** The error that a record describes, for whoever reads it back from a state or a log. */
export function errorFromRecord<C extends ErrorCode>(record: ErrorRecord<C>): TinyAgentsError<C> {
  return new TinyAgentsError(record.code, record.message, {
    details: record.details,
    retryable: record.retryable,
    runId: record.runId,
    callId: record.callId,
  });
}

/** What a thrown value says of itself. */
export interface ThrownFacts {
  /** As `AbortError`; empty where it has none. */
  readonly name: string;
  /** One line of at most 2,000 characters; empty where it has none. */
  readonly message: string;
}

/**
 * Reads whatever was thrown. Anything can be: a text, an error of another realm, an object that throws when it is looked
 * at. Never throws, and calls nothing of the value but its getters.
 */
export function readThrown(thrown: unknown): ThrownFacts {
  if (typeof thrown === "string") return { name: "", message: oneLine(thrown) };
  if (typeof thrown !== "object" || thrown === null) return { name: "", message: "" };
  return { name: textAt(thrown, "name").slice(0, LONGEST_NAME), message: oneLine(textAt(thrown, "message")) };
}

/** The message of whatever was thrown, in one line of bounded length. */
export function messageOf(error: unknown): string {
  const { name, message } = readThrown(error);
  return message || name || "an unknown value was thrown";
}

const LONGEST_NAME = 100;
/** Less than the longest message of an error of ours: what is said around it must fit in too. */
const LONGEST_READ = 2_000;

function textAt(thrown: object, key: "name" | "message"): string {
  try {
    const value: unknown = Reflect.get(thrown, key);
    return typeof value === "string" ? value : "";
  } catch {
    return "";
  }
}

function oneLine(text: string): string {
  const lines = boundedText(text, LONGEST_READ)
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}
