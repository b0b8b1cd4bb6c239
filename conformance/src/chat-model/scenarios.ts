import type { FinishReason, Money } from "@tinyagents/core";

/** What a scenario's server answers, in words that belong to no provider. */
export interface ScenarioAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly toolCalls?: readonly ScenarioToolCall[];
  readonly finishReason: FinishReason;
  /** Absent: the server says nothing of tokens. */
  readonly usage?: ScenarioUsage;
}

export interface ScenarioToolCall {
  readonly id: string;
  readonly name: string;
  /** The JSON text of the arguments, which may be broken. */
  readonly args: string;
}

/** Totals include their classes: cached tokens are part of the input, reasoning tokens of the output. */
export interface ScenarioUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
  /** What the call cost. */
  readonly charged?: Money;
}

/** How a server refuses a request. Status and body are the provider's own. */
export type ScenarioFailure =
  | "auth"
  | "rate_limit"
  | "quota"
  | "server_error"
  | "overloaded"
  | "bad_request"
  | "context_window"
  | "model_not_found"
  | "auth_echo"
  /** With an answer: status 200, its visible text, and then the error. */
  | "error_in_stream";

/** How the server sends its answer, where it is not plainly. */
export type ScenarioManner =
  /** Every byte is a network chunk of its own. */
  | "bytes"
  /** Cut into network chunks of chance lengths, by the number of the request as the seed: 1 for the first. */
  | "random"
  /** Texts and arguments come in several frames. */
  | "pieces"
  /** Among its frames are events, fields and comments that nobody knows. */
  | "noise"
  /** Where frames say which call they belong to by an index: none does. */
  | "unindexed"
  /** Where frames say which call they belong to by an index: all say the first. */
  | "one_index"
  /** The visible text is sent, and then nothing more until the client has gone. */
  | "stall"
  /** No byte is ever sent, not even headers. */
  | "silence"
  /** The connection breaks after the visible text; an answer that is not streamed breaks in its middle. */
  | "cut"
  /** The stream ends cleanly after the visible text, without its finish. */
  | "early_end"
  /** The text of the answer is the text of the request's last message. No request is answered before `together` have come. */
  | "echo"
  /** The answer has `scenarioMetadata` in a field of the provider's that has no meaning to others. */
  | "metadata";

/** What a wire server does with every request while a scenario is on. */
export interface Scenario {
  readonly about: string;
  readonly answer?: ScenarioAnswer;
  readonly failure?: ScenarioFailure;
  /** With `failure`: how long the server asks to wait, ms. */
  readonly retryAfterMs?: number;
  readonly manner?: ScenarioManner;
  /** With the manner `echo`: how many requests wait for each other. `meeting` lets them go on. */
  readonly together?: number;
}

/** The text that the scenario `metadata` puts into a field of the provider's own. */
export const scenarioMetadata = "kept-by-conformance";

/** The name of a scenario. */
export type ScenarioName =
  | "text"
  | "unicode"
  | "reasoning_text"
  | "tool_call"
  | "tool_call_pieces"
  | "tool_call_no_args"
  | "tool_call_malformed"
  | "tool_calls_parallel"
  | "tool_calls_unindexed"
  | "tool_calls_one_index"
  | "structured"
  | "usage"
  | "usage_classes"
  | "usage_charged"
  | "usage_absent"
  | "finish_length"
  | "finish_content_filter"
  | "refusal"
  | "mixed"
  | "mixed_pieces"
  | "mixed_bytes"
  | "mixed_random"
  | "mixed_noise"
  | "metadata"
  | "echo"
  | "stall"
  | "silence"
  | "cut"
  | "early_end"
  | "error_auth"
  | "error_rate_limit"
  | "error_quota"
  | "error_server"
  | "error_overloaded"
  | "error_bad_request"
  | "error_context_window"
  | "error_model"
  | "error_in_stream"
  | "error_after_text"
  | "error_echo";

const HELLO = "Hello, world.";
const USAGE: ScenarioUsage = { inputTokens: 12, outputTokens: 4 };
const PARIS: ScenarioToolCall = { id: "call_paris", name: "get_weather", args: '{"city":"Paris"}' };
const ROME: ScenarioToolCall = { id: "call_rome", name: "get_weather", args: '{"city":"Rome"}' };

function answer(fields: Partial<ScenarioAnswer>): ScenarioAnswer {
  return { finishReason: fields.toolCalls === undefined ? "stop" : "tool_calls", usage: USAGE, ...fields };
}

/** Every situation that model checks put a subject into. A subject's wire serves each by its name. */
export const scenarios: { readonly [N in ScenarioName]: Scenario } = {
  text: { about: "a plain text", answer: answer({ text: HELLO }) },
  unicode: {
    about: "text of several scripts, every byte in a chunk of its own",
    answer: answer({ text: "naïve 你好，世界 こんにちは 👩‍👩‍👧‍👦 🎉 \u0000 end" }),
    manner: "bytes",
  },
  reasoning_text: { about: "reasoning before the text", answer: answer({ reasoning: "Think first.", text: HELLO }) },
  tool_call: { about: "one tool call", answer: answer({ toolCalls: [PARIS] }) },
  tool_call_pieces: {
    about: "one tool call whose arguments come in pieces",
    answer: answer({ toolCalls: [PARIS] }),
    manner: "pieces",
  },
  tool_call_no_args: {
    about: "a tool call with no arguments at all",
    answer: answer({ toolCalls: [{ id: "call_now", name: "get_time", args: "" }] }),
  },
  tool_call_malformed: {
    about: "a tool call whose arguments are broken off",
    answer: answer({ toolCalls: [{ ...PARIS, args: '{"city":"Par' }] }),
  },
  tool_calls_parallel: { about: "two tool calls in one answer", answer: answer({ toolCalls: [PARIS, ROME] }) },
  tool_calls_unindexed: {
    about: "two tool calls, whose frames do not say which is which",
    answer: answer({ toolCalls: [PARIS, ROME] }),
    manner: "unindexed",
  },
  tool_calls_one_index: {
    about: "two tool calls, whose frames all say that they are of the first",
    answer: answer({ toolCalls: [PARIS, ROME] }),
    manner: "one_index",
  },
  structured: { about: "a JSON text", answer: answer({ text: '{"city":"Paris","celsius":21}' }) },
  usage: { about: "a plain text, with its tokens", answer: answer({ text: HELLO }) },
  usage_classes: {
    about: "a text, with cached and reasoning tokens in its usage",
    answer: answer({
      text: HELLO,
      usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 80, reasoningTokens: 5 },
    }),
  },
  usage_charged: {
    about: "a text, with its tokens and what they cost",
    answer: answer({ text: HELLO, usage: { ...USAGE, charged: { amount: "0.0123", currency: "USD" } } }),
  },
  usage_absent: { about: "a text, and nothing said of tokens", answer: { text: HELLO, finishReason: "stop" } },
  finish_length: {
    about: "a text that was cut at the token limit",
    answer: answer({ text: "Hel", finishReason: "length" }),
  },
  finish_content_filter: {
    about: "a text that a content filter stopped",
    answer: answer({ text: "Hel", finishReason: "content_filter" }),
  },
  refusal: { about: "a refusal", answer: answer({ refusal: "I will not do that.", finishReason: "refusal" }) },
  mixed: {
    about: "text and two tool calls",
    answer: answer({ text: "Let me look. 🔍", toolCalls: [PARIS, ROME] }),
  },
  mixed_pieces: {
    about: "the same as `mixed`, in pieces",
    answer: answer({ text: "Let me look. 🔍", toolCalls: [PARIS, ROME] }),
    manner: "pieces",
  },
  mixed_bytes: {
    about: "the same as `mixed`, every byte in a chunk of its own",
    answer: answer({ text: "Let me look. 🔍", toolCalls: [PARIS, ROME] }),
    manner: "bytes",
  },
  mixed_random: {
    about: "the same as `mixed`, cut by chance, differently for each request",
    answer: answer({ text: "Let me look. 🔍", toolCalls: [PARIS, ROME] }),
    manner: "random",
  },
  mixed_noise: {
    about: "the same as `mixed`, among frames that nobody knows",
    answer: answer({ text: "Let me look. 🔍", toolCalls: [PARIS, ROME] }),
    manner: "noise",
  },
  metadata: {
    about: "a text, with a field of the provider's own",
    answer: answer({ text: HELLO }),
    manner: "metadata",
  },
  echo: { about: "the text of the request's last message, once eight requests wait", manner: "echo", together: 8 },
  stall: { about: "a text that never goes on", answer: answer({ text: HELLO }), manner: "stall" },
  silence: { about: "nothing, ever", manner: "silence" },
  cut: { about: "a text, and then the connection breaks", answer: answer({ text: HELLO }), manner: "cut" },
  early_end: {
    about: "a text, and then a clean end without a finish",
    answer: answer({ text: HELLO }),
    manner: "early_end",
  },
  error_auth: { about: "a refusal of the key", failure: "auth" },
  error_rate_limit: { about: "too many requests, with a hint", failure: "rate_limit", retryAfterMs: 2_000 },
  error_quota: { about: "quota is used up", failure: "quota" },
  error_server: { about: "a failure inside the server", failure: "server_error" },
  error_overloaded: { about: "the server has too much to do, with a hint", failure: "overloaded", retryAfterMs: 3_000 },
  error_bad_request: { about: "the request is not valid", failure: "bad_request" },
  error_context_window: { about: "the request is longer than the model's context", failure: "context_window" },
  error_model: { about: "nobody knows the model", failure: "model_not_found" },
  error_in_stream: {
    about: "an error of the server as the first frame of a stream, with status 200",
    failure: "error_in_stream",
  },
  error_after_text: {
    about: "a text, and then an error of the server in the same stream, with status 200",
    answer: answer({ text: HELLO }),
    failure: "error_in_stream",
  },
  error_echo: { about: "a refusal of the key that repeats the key", failure: "auth_echo" },
};

/** What the server of a scenario answers. */
export function answerOf(scenario: ScenarioName): ScenarioAnswer {
  const { answer: found } = scenarios[scenario];
  if (found === undefined) throw new TypeError(`the scenario ${scenario} has no answer`);
  return found;
}

/** The one tool call of a scenario's answer. */
export function callOf(scenario: ScenarioName): ScenarioToolCall {
  const [call] = answerOf(scenario).toolCalls ?? [];
  if (call === undefined) throw new TypeError(`the scenario ${scenario} has no tool call`);
  return call;
}
