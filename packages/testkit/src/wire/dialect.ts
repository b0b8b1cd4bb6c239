import type { JsonObject } from "@tinyagents/core";
import type { WireAnswer, WireFailure } from "./entry.js";
import type { WireFault } from "./fault.js";
import type { Frame, Framing } from "./frame.js";
import type { Problem } from "./problem.js";
import type { WireRequest } from "./request.js";

/** One API as a wire server speaks it. A server has one of its own: it may remember what was said. */
export interface Dialect {
  /** What the base URL ends in: `/v1`, or nothing. */
  readonly base: string;
  /** The header of a response that names its request, where the API has one. */
  readonly requestIdHeader: string | undefined;
  /** The key that a request brings. */
  keyOf(request: WireRequest): string | undefined;
  /** What is at a path, if anything is. */
  endpoint(path: string): Endpoint | undefined;
  /** Headers and body of a refusal. */
  failed(failure: WireFailure, request: WireRequest): FailedReply;
}

/** Something that a server answers at a path. */
export type Endpoint = FixedEndpoint | ScriptedEndpoint;

/** Answers from the server's options, and uses no entry of the script. */
export interface FixedEndpoint {
  readonly type: "fixed";
  readonly method: "GET" | "POST";
  answer(request: WireRequest): { readonly body: JsonObject } | WireFailure;
}

/** Answers from the script. */
export interface ScriptedEndpoint {
  readonly type: "scripted";
  readonly method: "GET" | "POST";
  /** What an answer cannot have here. */
  readonly lacks: readonly (keyof WireAnswer | WireFault["type"])[];
  /** What the API would refuse, the first reason first. */
  problems(request: WireRequest): Iterable<Problem>;
  /** A right request that this server cannot serve: it has no such model, for one. */
  refusal?(request: WireRequest): WireFailure | undefined;
  /** Whether a request asks for a stream. */
  streams(body: JsonObject): boolean;
  readonly framing: Framing;
  frames(answer: WireAnswer, request: WireRequest): readonly Frame[];
  /** The body of an answer that is not streamed; one that is not finished has no finish reason. */
  whole(answer: WireAnswer, request: WireRequest, finished: boolean): JsonObject;
}

/** A refusal as it goes over the wire. */
export interface FailedReply {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** The reply of a failure: what it says itself goes before what the API says. */
export function toFailedReply(
  { status, retryAfter, retryAfterMs, headers = {}, body }: WireFailure,
  error: JsonObject,
  more: { readonly [name: string]: string } = {},
): FailedReply {
  return {
    status,
    headers: {
      "content-type": body === undefined ? "application/json" : "text/html",
      ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }),
      ...(retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) }),
      ...more,
      ...headers,
    },
    body: body ?? JSON.stringify(error),
  };
}
