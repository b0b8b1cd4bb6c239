import type { JsonObject, JsonValue } from "@tinyagents/core";

/** What a child process is asked to do. It answers each `id` once, in any order. */
export type ToChild =
  | { readonly id: number; readonly type: "open"; readonly ref: JsonValue }
  | { readonly id: number; readonly type: "do"; readonly job: string; readonly args: JsonObject }
  | { readonly id: number; readonly type: "close" };

/** `ready`: the subject is loaded, and nothing is open. */
export type FromChild =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly id: number; readonly value: JsonValue }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

/** The file descriptor on which a child acknowledges writes: what was written there outlives it. */
export const ACKNOWLEDGED_FD = 4;
