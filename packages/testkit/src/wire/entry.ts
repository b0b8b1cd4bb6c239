import type { JsonObject } from "@tinyagents/core";
import type { ScriptedToolCall } from "../answer.js";
import type { Split } from "../split.js";
import type { WireFault } from "./fault.js";
import type { WireRequest } from "./request.js";

/** Tokens as the server reports them. Names and meaning are those of core's `Usage`. */
export interface WireUsage {
  /** All that was read, from a cache and into one included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input, where the API tells. */
  readonly cachedInputTokens?: number;
  /** Of the input, where the API tells. */
  readonly cacheWriteTokens?: number;
  /** Of the output, where the API tells. */
  readonly reasoningTokens?: number;
  /** More fields of the API's usage object, such as a router's `cost`. */
  readonly more?: JsonObject;
}

/**
 * Where the server cuts what it writes into network chunks: after each byte; after these numbers of bytes, the rest
 * in one; or by chance, into chunks of 1 to `longest` (default 8) bytes that are the same for the same seed. Cuts fall
 * inside characters and lines too. A client that is slow may find several waiting and join them.
 */
export type ByteSplit = "bytes" | readonly number[] | { readonly seed: number; readonly longest?: number };

/** What every entry can have. */
export interface WireEntryBase {
  /** Checked before anything is answered. What it throws is answered with 400 and kept for `assertDone`. */
  readonly expect?: (request: WireRequest) => void;
  /** The server waits for this before it answers. */
  readonly gate?: PromiseLike<unknown>;
}

/**
 * An answer with status 200: a stream when the request asks for one, else a whole one. Both say the same. What the API
 * that is asked has no place for is a `TypeError`.
 */
export interface WireAnswer extends WireEntryBase {
  readonly reasoning?: string;
  /**
   * What proves the reasoning to the API on the next turn. Default: `signature_1` for the first request, and so on.
   * Alone it stands for reasoning that is not shown.
   */
  readonly signature?: string;
  readonly text?: string;
  readonly refusal?: string;
  /** Blocks or items in the API's own words, after those of the fields above: its own tools and their results, ... */
  readonly blocks?: readonly JsonObject[];
  /** Ids default to `call_1`, `call_2`, ... counted on from those in the request. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /**
   * In core's words, or in the API's own. Default: `tool_calls` where there are some, else `stop`. `null`: the answer
   * ends as it should and never says why.
   */
  readonly finishReason?: string | null;
  /** Default: 10 input tokens (Ollama: those of the prompt) and 5 output tokens. `null`: the server never says. */
  readonly usage?: WireUsage | null;
  /** The exact model that answers. Default: the one that was asked for. */
  readonly model?: string;
  /** Where texts and arguments are cut into frames. Default: one frame each. */
  readonly split?: Split;
  /** Each tool call comes whole in one frame, as several local servers send it. */
  readonly wholeCalls?: boolean;
  /** The index of each call in place of the right one; `missing`: no fragment has one; `constant`: all say 0. */
  readonly toolIndexes?: "missing" | "constant" | readonly number[];
  /** What stands for the calls' ids: nothing at all, or an empty text. In the Responses API it is the items' ids. */
  readonly toolIds?: "missing" | "empty";
  /**
   * Where reasoning stands. Default: `reasoning_content` of Chat Completions, the summary of the Responses API (any
   * other field: its raw text), `thinking` of Ollama. `think_tags`: in the text, between tags.
   */
  readonly reasoningField?: "reasoning_content" | "reasoning" | "reasoning_text" | "think_tags";
  /** Which frame says the usage, asked for or not. Default: one of its own where the request asks for it. */
  readonly usageIn?: "finish_frame" | "every_frame" | "x_groq";
  /** The vectors of embeddings, one per input. Default: some that differ from text to text. */
  readonly embeddings?: readonly (readonly number[])[];
  /** Exactly these frames in place of all that the fields above say; a text is written as it is, as `[DONE]`. */
  readonly frames?: readonly (JsonObject | string)[];
  /** Exactly this body, for a request that does not stream; a text is written as it is. */
  readonly whole?: JsonObject | string;
  /** Of the response, besides those that the API sends. */
  readonly headers?: { readonly [name: string]: string };
  /** What ends lines of the stream. Default `\n`. */
  readonly lineEnd?: "\n" | "\r\n" | "\r";
  /** Default: one chunk per frame. */
  readonly chunks?: ByteSplit;
  readonly faults?: readonly WireFault[];
}

/** A refused request. What is not said is what the API says with the status. */
export interface WireFailure extends WireEntryBase {
  readonly status: number;
  /** A cause that has no status of its own, in the API's words for it. */
  readonly reason?: "quota" | "prompt_too_long";
  /** The API's code; at Anthropic it stands in the details. Ollama has none. */
  readonly code?: string | null;
  /** Ollama has none. */
  readonly type?: string;
  readonly message?: string;
  /** OpenAI's alone. */
  readonly param?: string;
  /** More fields of the error object, such as `failed_generation`. */
  readonly more?: JsonObject;
  /** The `retry-after` header: seconds, or its text as it is, such as an HTTP date. */
  readonly retryAfter?: number | string;
  /** The `retry-after-ms` header. */
  readonly retryAfterMs?: number | string;
  readonly headers?: { readonly [name: string]: string };
  /** The body as text in place of an error object: what a proxy sends, for one. */
  readonly body?: string;
}

/** What the server does with one request: an answer, a text as the short form of one, or a failure. */
export type WireReply = string | WireAnswer | WireFailure;

/** One entry of a script: a reply, or a function that decides it. */
export type WireEntry = WireReply | ((request: WireRequest) => WireReply | Promise<WireReply>);

/** Entries in order, one per request; or a function that decides every request. */
export type WireEntries = readonly WireEntry[] | Exclude<WireEntry, WireReply>;
