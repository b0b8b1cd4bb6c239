import {
  type ChatModel,
  type Clock,
  lackingMedia,
  type ModelCallContext,
  type ModelDelta,
  type ModelRequest,
  refuseMissing,
  systemClock,
  TinyAgentsError,
  throwIfAborted,
} from "@tinyagents/core";
import { decide } from "./decide.js";
import { ending, fragments, wholeBlocks } from "./deltas.js";
import { mockProfile } from "./profile.js";
import type { MockReply, MockRule } from "./reply.js";
import { MODEL_ID } from "./rules/identity.js";
import { cutReply, warningsFor } from "./settings.js";
import { TokenMeter } from "./usage.js";

/** How the model behaves, beside what it answers. */
export interface MockModelOptions {
  /** A pause before each fragment of an answer, so that streaming can be watched, ms. Default 0: none. */
  readonly delayMs?: number | undefined;
  /** Asked in this order before the model's own rules; the first reply stands as it is. Default: none. */
  readonly rules?: readonly MockRule[] | undefined;
  /** Times the pauses. Default: real time. */
  readonly clock?: Clock | undefined;
}

/**
 * An offline, deterministic model that says what it is and yet drives tools: it calculates, looks things up in files,
 * quotes what it read, and fills in arguments and structured answers from what the question names. The same request
 * always gets the same answer.
 *
 * @throws TypeError when `delayMs` is no number from 0 up. From the stream: `cancelled`; `capability_missing` for
 * media and for a capability that the request requires and the profile lacks; `invalid_request` for a request without
 * messages and for a demanded tool that is not declared.
 */
export function mockModel({ delayMs = 0, rules = [], clock = systemClock }: MockModelOptions = {}): ChatModel {
  if (!Number.isFinite(delayMs) || delayMs < 0) {
    throw new TypeError(`mockModel: delayMs is a number from 0 up, ${delayMs} given`);
  }
  const meter = new TokenMeter();
  return {
    id: MODEL_ID,
    profile: mockProfile,
    async *stream(request, call) {
      throwIfAborted(call.signal);
      refuseWhatItCannotDo(request);
      for (const delta of deltasOf(decide(request, rules), request, call, meter)) {
        if (delayMs > 0 && delta.type === "text") await clock.sleep(delayMs, call.signal);
        throwIfAborted(call.signal);
        yield delta;
      }
    },
  };
}

function deltasOf(
  decided: MockReply,
  request: ModelRequest,
  call: ModelCallContext,
  meter: TokenMeter,
): Iterable<ModelDelta> {
  const { reply, finishReason } = cutReply(decided, request);
  const end = ending({ finishReason, usage: meter.usage(request, reply), warnings: warningsFor(request) });
  return joined(call.delivery === "whole" ? wholeBlocks(reply, request) : fragments(reply, request), end);
}

function* joined(...parts: readonly Iterable<ModelDelta>[]): Generator<ModelDelta> {
  yield { type: "start", model: mockProfile.model };
  for (const part of parts) yield* part;
}

/** Media count in the question alone: what came before it is not answered any more. */
function refuseWhatItCannotDo(request: ModelRequest): void {
  if (request.messages.length === 0) {
    throw new TinyAgentsError("invalid_request", "The request has no message.", { details: { reason: "no_messages" } });
  }
  const question = request.messages.findLast(({ role }) => role === "user");
  const media = question === undefined ? [] : lackingMedia(mockProfile, [question]);
  refuseMissing(mockProfile, request, media);
}
