import {
  meeting,
  type Scenario,
  type ScenarioFailure,
  scenarioMetadata,
  scenarios,
  type Wire,
  type WireServer,
} from "@tinyagents/conformance";
import { isJsonObject, type JsonObject } from "@tinyagents/core";
import {
  anthropicWireServer,
  type WireAnswer,
  type WireFault,
  type WireReply,
  type WireRequest,
} from "@tinyagents/testkit/wire";

/** Scenarios in Anthropic's words, on a real socket. */
export const anthropicWire: Wire = {
  async start(name): Promise<WireServer> {
    const scenario: Scenario = scenarios[name];
    const meet = meeting(scenario.together ?? 1);
    const server = await anthropicWireServer(
      async (request) => (scenario.manner === "echo" ? await meet(echo(request)) : replyTo(scenario, request)),
      // What the checks themselves put into a provider's options.
      { extraParams: ["x_conformance", "seed"] },
    );
    return { url: server.url, close: () => server.close(), requests: () => server.requests };
  },
};

function replyTo({ answer, failure, manner, retryAfterMs }: Scenario, request: WireRequest): WireReply {
  if (failure === "error_in_stream") {
    const error = { type: "api_error", message: "Internal server error" };
    const afterFrames = answer?.text === undefined ? 0 : TEXT_FRAMES;
    return { text: answer?.text ?? "", faults: [{ type: "error_frame", afterFrames, error }] };
  }
  if (failure !== undefined) {
    const hint = retryAfterMs === undefined ? {} : { retryAfter: retryAfterMs / 1_000 };
    return { ...FAILURES[failure](request), ...hint };
  }
  if (manner === "silence") return { text: "", faults: [{ type: "silence" }] };
  if (manner === "metadata") return withMetadata(answer?.text ?? "", request.body.stream === true);
  const { toolCalls, usage, ...said } = answer ?? { finishReason: "stop" };
  return {
    ...said,
    ...(toolCalls === undefined
      ? {}
      : { toolCalls: toolCalls.map(({ id, name, args }) => ({ id, name, rawArgs: args })) }),
    usage: usage ?? null,
    ...sentIn(manner, request),
  };
}

/** Up to the visible text: the beginning, a ping, the beginning of the block, and its text. */
const TEXT_FRAMES = 4;

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
      return faulty({ type: "stall", afterFrames: TEXT_FRAMES });
    case "cut":
      return faulty({ type: "cut", afterFrames: TEXT_FRAMES });
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

const FAILURES: { readonly [F in Exclude<ScenarioFailure, "error_in_stream">]: (request: WireRequest) => Refusal } = {
  auth: () => ({ status: 401 }),
  auth_echo: ({ authorization = "" }) => ({
    status: 401,
    message: `invalid key: ${authorization.slice("Bearer ".length)}`,
  }),
  rate_limit: () => ({ status: 429 }),
  quota: () => ({ status: 400, reason: "quota" }),
  server_error: () => ({ status: 500 }),
  overloaded: () => ({ status: 529 }),
  bad_request: () => ({ status: 400 }),
  model_not_found: () => ({ status: 404, message: "model: claude-none" }),
  context_window: () => ({ status: 400, reason: "prompt_too_long" }),
};

function withMetadata(text: string, streamed: boolean): WireAnswer {
  const head = { id: "msg_1", type: "message", role: "assistant", model: "m", x_note: scenarioMetadata };
  const content = [{ type: "text", text }];
  if (!streamed) return { whole: { ...head, content, stop_reason: "end_turn" } };
  return {
    frames: [
      { type: "message_start", message: { ...head, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
  };
}

function echo({ body }: WireRequest): string {
  const messages = Array.isArray(body.messages) ? (body.messages as readonly JsonObject[]) : [];
  const content: unknown = messages.at(-1)?.content;
  const [block]: readonly unknown[] = Array.isArray(content) ? content : [];
  return isJsonObject(block) && typeof block.text === "string" ? block.text : "";
}
