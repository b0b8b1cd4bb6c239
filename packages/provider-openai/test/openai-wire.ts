import {
  meeting,
  type Scenario,
  type ScenarioFailure,
  type ScenarioUsage,
  scenarioMetadata,
  scenarios,
  type Wire,
  type WireServer,
} from "@tinyagents/conformance";
import { isJsonObject, type JsonValue } from "@tinyagents/core";
import {
  openaiWireServer,
  type WireAnswer,
  type WireFault,
  type WireReply,
  type WireRequest,
} from "@tinyagents/testkit/wire";

/** Scenarios in OpenAI's words, on a real socket; in those of either API, whichever is asked. */
export const openaiWire: Wire = {
  async start(name): Promise<WireServer> {
    const scenario: Scenario = scenarios[name];
    const meet = meeting(scenario.together ?? 1);
    const server = await openaiWireServer(
      async (request) => (scenario.manner === "echo" ? await meet(echo(request)) : replyTo(scenario, request)),
      { extraParams: ["x_conformance"] },
    );
    return { url: server.url, close: () => server.close(), requests: () => server.requests };
  },
};

function replyTo({ answer, failure, manner, retryAfterMs }: Scenario, request: WireRequest): WireReply {
  if (failure === "error_in_stream") return failing(answer?.text, framesOfText(request));
  if (failure !== undefined) {
    const hint = retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1_000 };
    return { ...failures[failure](request), ...hint };
  }
  if (manner === "silence") return { text: "", faults: [{ type: "silence" }] };
  if (manner === "metadata") return withMetadata(answer?.text ?? "", request);
  const { reasoning, text, refusal, toolCalls, finishReason = "stop", usage } = answer ?? {};
  return {
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(text === undefined ? {} : { text }),
    ...(refusal === undefined ? {} : { refusal }),
    ...(toolCalls === undefined
      ? {}
      : { toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, rawArgs: args })) }),
    // A refusal is an ordinary stop at OpenAI.
    finishReason: finishReason === "refusal" ? "stop" : finishReason,
    usage: usage === undefined ? null : withCost(usage),
    ...sentIn(manner, request),
  };
}

/** Usage with what it cost, as routers say it. */
function withCost({ charged, ...usage }: ScenarioUsage): NonNullable<WireAnswer["usage"]> {
  return charged === undefined ? usage : { ...usage, more: { cost: Number(charged.amount) } };
}

/** How many frames it takes to say a text of one frame: those that announce it are frames too. */
function framesOfText({ path }: WireRequest): number {
  return path.endsWith("/responses") ? 5 : 2;
}

/** The text, where there is some, and then an error. */
function failing(text: string | undefined, framesOfText: number): WireAnswer {
  return { text: text ?? "", faults: [{ type: "error_frame", afterFrames: text === undefined ? 0 : framesOfText }] };
}

function sentIn(manner: Scenario["manner"], request: WireRequest): Partial<WireAnswer> {
  const { number } = request;
  const afterFrames = framesOfText(request);
  switch (manner) {
    case "bytes":
      return { chunks: "bytes" };
    case "pieces":
      return { split: "characters" };
    case "random":
      return { chunks: { seed: number } };
    case "noise":
      return faulty({ type: "bare_frames" });
    case "unindexed":
      return { toolIndexes: "missing" };
    case "one_index":
      return { toolIndexes: "constant" };
    case "stall":
      return faulty({ type: "stall", afterFrames });
    case "cut":
      return faulty({ type: "cut", afterFrames });
    case "early_end":
      return faulty({ type: "no_finish" });
    default:
      return {};
  }
}

function faulty(fault: WireFault): Partial<WireAnswer> {
  return { faults: [fault] };
}

type Refusal = Extract<WireReply, { readonly status: number }>;

/** How the server refuses a request. */
export const failures: {
  readonly [F in Exclude<ScenarioFailure, "error_in_stream">]: (request: WireRequest) => Refusal;
} = {
  auth: () => ({ status: 401 }),
  auth_echo: ({ authorization = "" }) => ({
    status: 401,
    message: `Incorrect API key provided: ${authorization.slice("Bearer ".length)}.`,
  }),
  rate_limit: () => ({ status: 429 }),
  quota: () => ({ status: 429, code: "insufficient_quota" }),
  server_error: () => ({ status: 500 }),
  overloaded: () => ({ status: 503 }),
  bad_request: () => ({ status: 400 }),
  model_not_found: () => ({ status: 404, code: "model_not_found" }),
  context_window: () => ({ status: 400, code: "context_length_exceeded", message: "This is too long." }),
};

function withMetadata(text: string, { path, body }: WireRequest): WireAnswer {
  const streamed = body.stream === true;
  if (path.endsWith("/responses")) return withResponseMetadata(text, streamed);
  const head = { id: "chatcmpl-1", model: "gpt-4o", x_note: scenarioMetadata };
  const message = { role: "assistant", content: text };
  if (!streamed) return { whole: { ...head, choices: [{ index: 0, message, finish_reason: "stop" }] } };
  return {
    frames: [
      { ...head, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...head, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      "[DONE]",
    ],
  };
}

function withResponseMetadata(text: string, streamed: boolean): WireAnswer {
  const part = { type: "output_text", text, annotations: [] };
  const item = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [part] };
  const response = { id: "resp_1", model: "gpt-4o", status: "completed", x_note: scenarioMetadata, output: [item] };
  return streamed ? { frames: [{ type: "response.completed", response }] } : { whole: response };
}

function echo({ body }: WireRequest): string {
  const messages = body.messages ?? body.input;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  return isJsonObject(last) ? spoken(last.content ?? "") : "";
}

function spoken(content: JsonValue): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : "";
  return content.map((part: JsonValue) => (isJsonObject(part) ? spoken(part.text ?? "") : "")).join("");
}
