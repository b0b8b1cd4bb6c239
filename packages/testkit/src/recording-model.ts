import {
  type ChatModel,
  type Clock,
  type ModelCallContext,
  type ModelDelta,
  type ModelProfile,
  type ModelRequest,
  throwIfAborted,
  type Usage,
} from "@tinyagents/core";
import { answerDeltas, type ScriptedAnswer } from "./answer.js";
import { arrivals } from "./arrivals.js";
import type { Split } from "./split.js";
import { hold, untilAborted } from "./wait.js";

/** One call of a model, as it was made and as it ended. */
export interface RecordedModelCall {
  /** With a copy of the messages. */
  readonly request: ModelRequest;
  readonly delivery: ModelCallContext["delivery"];
  readonly runId: string | undefined;
  readonly callId: string | undefined;
  /** `abandoned`: the reader left before the end. */
  readonly state: "running" | "finished" | "failed" | "abandoned";
}

/** A model that remembers what it was asked. */
export interface RecordingModel extends ChatModel {
  /** In order, each with a copy of its messages. */
  readonly requests: readonly ModelRequest[];
  readonly calls: readonly RecordedModelCall[];
  /** Resolves when the `count`-th call (default the first) has begun. */
  called(count?: number): Promise<void>;
}

/** How a test's model is made. */
export interface TestModelOptions {
  /** `provider/model`. */
  readonly id?: string | undefined;
  /** What differs from a profile that can do everything. */
  readonly profile?: Partial<ModelProfile> | undefined;
  /** What answers use that do not say. Default: nothing is said, so usage is unknown. */
  readonly usage?: Partial<Usage> | undefined;
  /** Where texts and arguments are cut when the caller reads as they come. Default: one fragment each. */
  readonly split?: Split | undefined;
  /** Every answer waits this long before its first delta, ms of `clock`. Default: none. */
  readonly delayMs?: number | undefined;
  /** Needed for delays. */
  readonly clock?: Clock | undefined;
}

/** Decides the answer to a request. It may throw. */
export type AnswerSource = (request: ModelRequest, call: ModelCallContext) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** A model that records its calls and answers what `source` decides. */
export function recordingModel(source: AnswerSource, defaultId: string, options: TestModelOptions): RecordingModel {
  const { id = defaultId, profile, usage, split, delayMs, clock } = options;
  const calls: { -readonly [K in keyof RecordedModelCall]: RecordedModelCall[K] }[] = [];
  const begun = arrivals();
  return {
    id,
    profile: { ...profileOf(id), ...profile },
    get requests() {
      return calls.map(({ request }) => request);
    },
    calls,
    called: (count = 1) => begun.reached(count),
    async *stream(liveRequest: ModelRequest, call: ModelCallContext): AsyncGenerator<ModelDelta, void, void> {
      const request = { ...liveRequest, messages: liveRequest.messages.slice() };
      const { delivery, runId, callId } = call;
      const record: (typeof calls)[number] = { request, delivery, runId, callId, state: "running" };
      calls.push(record);
      begun.note();
      try {
        throwIfAborted(call.signal);
        const answer = await source(request, call);
        await hold({ delayMs, ...answer }, clock, call.signal);
        for (const delta of answerDeltas(answer, request, { delivery, split, usage })) {
          throwIfAborted(call.signal);
          yield delta;
        }
        if (answer.error !== undefined) throw answer.error;
        if (answer.hang === true) await untilAborted(call.signal);
        record.state = "finished";
      } catch (error) {
        record.state = "failed";
        throw error;
      } finally {
        if (record.state === "running") record.state = "abandoned";
      }
    },
  };
}

function profileOf(id: string): ModelProfile {
  const slash = id.indexOf("/");
  if (slash < 1) throw new TypeError(`id: expected "provider/model", found "${id}"`);
  return {
    provider: id.slice(0, slash),
    model: id.slice(slash + 1),
    capabilities: {
      tools: "yes",
      parallel_tool_calls: "yes",
      tool_choice_required: "yes",
      tool_choice_named: "yes",
      tool_call_streaming: "yes",
      structured_output: "yes",
      json_mode: "yes",
      reasoning: "yes",
      streaming: "yes",
      temperature: "yes",
      system_messages: "yes",
      image_input: "yes",
      audio_input: "yes",
      file_input: "yes",
    },
    contextWindow: 128_000,
    maxOutputTokens: 16_384,
    lifecycle: "active",
    source: "local",
  };
}
