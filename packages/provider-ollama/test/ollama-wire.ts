import {
  meeting,
  type Scenario,
  type ScenarioFailure,
  type ScenarioName,
  scenarioMetadata,
  scenarios,
  type Wire,
  type WireServer,
} from "@tinyagents/conformance";
import { isJsonObject, type JsonObject } from "@tinyagents/core";
import {
  ollamaWireServer,
  type WireAnswer,
  type WireFailure,
  type WireFault,
  type WireReply,
  type WireRequest,
} from "@tinyagents/testkit/wire";

/** Scenarios in Ollama's words, on a real socket. */
export const ollamaWire: Wire = {
  async start(name): Promise<WireServer> {
    const scenario: Scenario = scenarios[name];
    const meet = meeting(scenario.together ?? 1);
    const server = await ollamaWireServer(
      async (request) => (scenario.manner === "echo" ? await meet(echo(request)) : replyTo(scenario, request)),
      // What checks hand in as options of the provider.
      { extraParams: ["x_conformance", "seed"] },
    );
    return { url: server.url, close: () => server.close(), requests: () => server.requests };
  },
};

/** Scenarios that cannot arise behind Ollama, and why. */
export const cannot: { readonly [S in ScenarioName]?: string } = {
  refusal: "Ollama has no word for a refusal: a model declines in plain text",
  finish_content_filter: "Ollama has no content filter",
  usage_charged: "Ollama says nothing of money",
  usage_classes: "Ollama counts neither cached nor reasoning tokens apart",
};

function replyTo({ answer, failure, manner, retryAfterMs }: Scenario, request: WireRequest): WireReply {
  if (failure === "error_in_stream") {
    const afterFrames = answer?.text === undefined ? 0 : 1;
    return { text: answer?.text ?? "", faults: [{ type: "error_frame", afterFrames }] };
  }
  if (failure !== undefined) {
    const hint = retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1_000 };
    return { ...failures[failure](request), ...hint };
  }
  if (manner === "silence") return faulty({ type: "silence" });
  const { reasoning, text, toolCalls, finishReason = "stop", usage } = answer ?? {};
  const more = manner === "metadata" ? { more: { x_note: scenarioMetadata } } : {};
  return {
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(text === undefined ? {} : { text }),
    ...(toolCalls === undefined
      ? {}
      : { toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, rawArgs: args })) }),
    finishReason,
    usage: usage === undefined ? null : { ...usage, ...more },
    ...sentIn(manner, request),
  };
}

function sentIn(manner: Scenario["manner"], { number }: WireRequest): Partial<WireAnswer> {
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
      return faulty({ type: "stall", afterFrames: 1 });
    case "cut":
      return faulty({ type: "cut", afterFrames: 1 });
    case "early_end":
      return faulty({ type: "no_finish" });
    default:
      return {};
  }
}

function faulty(fault: WireFault): Partial<WireAnswer> {
  return { faults: [fault] };
}

/** How the server refuses a request. */
export const failures: {
  readonly [F in Exclude<ScenarioFailure, "error_in_stream">]: (request: WireRequest) => WireFailure;
} = {
  auth: () => ({ status: 401 }),
  auth_echo: ({ authorization = "" }) => ({
    status: 401,
    message: `invalid key: ${authorization.slice("Bearer ".length)}`,
  }),
  rate_limit: () => ({ status: 429 }),
  quota: () => ({ status: 429, reason: "quota" }),
  server_error: () => ({ status: 500 }),
  overloaded: () => ({ status: 503 }),
  bad_request: () => ({ status: 400 }),
  model_not_found: () => ({ status: 404 }),
  context_window: () => ({ status: 400, reason: "prompt_too_long" }),
};

function echo({ body }: WireRequest): string {
  const messages = Array.isArray(body.messages) ? (body.messages as readonly JsonObject[]) : [];
  const last = messages.at(-1);
  return isJsonObject(last) && typeof last.content === "string" ? last.content : "";
}
