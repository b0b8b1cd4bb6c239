import {
  type Scenario,
  type ScenarioFailure,
  type ScenarioName,
  scenarioMetadata,
  scenarios,
  type Wire,
  type WireServer,
} from "@tinyagents/conformance";
import { isJsonObject, type JsonObject } from "@tinyagents/core";
import { type LineRequest, lineServer, type Play } from "./line-server.js";

/** Scenarios in Ollama's words, on a real socket. */
export const ollamaWire: Wire = {
  async start(name): Promise<WireServer> {
    const scenario: Scenario = scenarios[name];
    const both = pair();
    const server = await lineServer(async (request) =>
      scenario.manner === "echo"
        ? plainly({ content: await both(echo(request)) }, {}, request)
        : play(scenario, request),
    );
    return { url: server.url, close: () => server.close(), requests: () => server.requests };
  },
};

/** Scenarios that cannot arise behind Ollama, and why. */
export const cannot: { readonly [S in ScenarioName]?: string } = {
  refusal: "Ollama has no word for a refusal: a model declines in plain text",
  finish_content_filter: "Ollama has no content filter",
  usage_classes: "Ollama counts neither cached nor reasoning tokens apart",
};

function play({ answer, failure, manner, retryAfterMs }: Scenario, request: LineRequest): Play {
  if (failure === "error_in_stream") return { lines: [{ error: "an error was encountered while running the model" }] };
  if (failure !== undefined) {
    const hint: { [name: string]: string } =
      retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1_000) };
    const [status, error] = FAILURES[failure](request);
    return { status, headers: { "content-type": "application/json", ...hint }, lines: [JSON.stringify({ error })] };
  }
  if (manner === "silence") return { ending: "silence" };
  const { text = "", reasoning, toolCalls, finishReason, usage } = answer ?? {};
  const message = {
    content: text,
    ...(reasoning === undefined ? {} : { thinking: reasoning }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map(toCall) }),
  };
  const last = {
    done_reason: finishReason === "length" ? "length" : "stop",
    ...(usage === undefined ? {} : { prompt_eval_count: usage.inputTokens, eval_count: usage.outputTokens }),
    ...(manner === "metadata" ? { x_note: scenarioMetadata } : {}),
  };
  return { ...plainly(message, last, request, manner === "pieces"), ...mannered(manner, message, request) };
}

/** Ollama sends arguments as an object. What is none comes as the text it is. */
function toCall({ id, name, args }: { readonly id: string; readonly name: string; readonly args: string }): JsonObject {
  try {
    return { id, function: { name, arguments: JSON.parse(args) as JsonObject } };
  } catch {
    return { id, function: { name, arguments: args } };
  }
}

type Message = { readonly content: string; readonly thinking?: string; readonly tool_calls?: readonly JsonObject[] };

function plainly(message: Message, last: object, { body }: LineRequest, pieces = false): Play {
  const end = { done: true, done_reason: "stop", total_duration: 5, ...last };
  if (body.stream !== true) return { lines: [JSON.stringify(line(message, body, end))] };
  const lines = (pieces ? inPieces(message) : inFields(message)).map((part) => line(part, body, { done: false }));
  return { lines: [...lines, line({ content: "" }, body, end)] };
}

function inFields({ content, thinking, tool_calls }: Message): readonly object[] {
  return [
    ...(thinking === undefined ? [] : [{ content: "", thinking }]),
    ...(content === "" ? [] : [{ content }]),
    ...(tool_calls === undefined ? [] : [{ content: "", tool_calls }]),
  ];
}

/** A character at a time; calls are never cut, but each comes in a line of its own. */
function inPieces({ content, thinking = "", tool_calls = [] }: Message): readonly object[] {
  return [
    ...[...thinking].map((character) => ({ content: "", thinking: character })),
    ...[...content].map((character) => ({ content: character })),
    ...tool_calls.map((call) => ({ content: "", tool_calls: [call] })),
  ];
}

function line(message: object, body: JsonObject, more: object): object {
  return { model: body.model, created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", ...message }, ...more };
}

function mannered(manner: Scenario["manner"], message: Message, { body }: LineRequest): Partial<Play> {
  const begun =
    body.stream === true ? inFields(message).map((part) => line(part, body, { done: false })) : ['{"model":'];
  switch (manner) {
    case "bytes":
      return { chunks: (bytes) => [...bytes].map((byte) => Uint8Array.of(byte)) };
    case "stall":
      return { lines: begun, ending: "stall" };
    case "cut":
      return { lines: begun, ending: "cut" };
    case "early_end":
      return { lines: begun };
    default:
      return {};
  }
}

const FAILURES: {
  readonly [F in Exclude<ScenarioFailure, "error_in_stream">]: (request: LineRequest) => readonly [number, string];
} = {
  auth: () => [401, "unauthorized"],
  auth_echo: ({ headers }) => [401, `invalid key: ${headers.authorization?.slice("Bearer ".length)}`],
  rate_limit: () => [429, "too many requests"],
  quota: () => [429, "you have reached your weekly usage limit, upgrade for higher limits: https://ollama.com/upgrade"],
  server_error: () => [500, "llama runner process has terminated: exit status 2"],
  overloaded: () => [503, "server busy, please try again. maximum pending requests exceeded"],
  bad_request: () => [400, "invalid options: num_ctx"],
  context_window: () => [400, "the input length exceeds the context length"],
};

function echo({ body }: LineRequest): string {
  const messages = Array.isArray(body.messages) ? (body.messages as readonly JsonObject[]) : [];
  const last = messages.at(-1);
  return isJsonObject(last) && typeof last.content === "string" ? last.content : "";
}

/** Lets callers go on two at a time. */
function pair(): <T>(value: T) => Promise<T> {
  let first: (() => void) | undefined;
  return async (value) => {
    if (first === undefined) await new Promise<void>((resolve) => (first = resolve));
    else first();
    return value;
  };
}
