import type { JsonObject } from "@tinyagents/core";

/** How a request ended: `aborted`: the client closed the connection first; `cut`: the server did, as the entry says. */
export type WireEnd = "answered" | "aborted" | "cut";

/** A request as it arrived. */
export interface WireRequest {
  /** 1 for the first. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  /** By lower-case name. */
  readonly headers: { readonly [name: string]: string };
  /** The value of the `authorization` header. */
  readonly authorization: string | undefined;
  /** The body as text, byte for byte what was sent. */
  readonly text: string;
  /** The parsed body; `{}` when it is no JSON object, which is a violation. */
  readonly body: JsonObject;
  /** Whether the client closed the connection before it had the whole answer. */
  readonly aborted: boolean;
  /** Resolves when nothing more happens to it. */
  readonly ended: Promise<WireEnd>;
}

/** A rule of the API that a request breaks. */
export interface WireViolation {
  /** The number of the request. */
  readonly request: number;
  /** Where, as `messages[2].tool_call_id`. */
  readonly param: string;
  readonly message: string;
  readonly code: string | null;
}
