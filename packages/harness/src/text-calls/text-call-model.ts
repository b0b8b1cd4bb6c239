import {
  type ChatModel,
  corruptStream,
  type ModelCallContext,
  type ModelDelta,
  type ModelProfile,
  type ModelRequest,
  streamFault,
  support,
} from "@tinyagents/core";
import { withToolCalls } from "./from-stream.js";
import type { TextTools } from "./text-tools.js";
import { toTextRequest } from "./to-request.js";

/**
 * A model that is asked in words for tools with a text format, and whose answers have their calls as tool calls. Nobody
 * else, hooks included, sees a difference. `onlyText`: no other tool is offered, so the model need not know of tools.
 */
export function textCallModel(model: ChatModel, tools: TextTools, onlyText: boolean): ChatModel {
  return {
    id: model.id,
    profile: onlyText ? withTools(model.profile) : model.profile,
    ...(model.ownsRetry === true ? { ownsRetry: true } : {}),
    stream: (request, call) => stream(model, tools, request, call),
  };
}

async function* stream(
  model: ChatModel,
  tools: TextTools,
  asked: ModelRequest,
  call: ModelCallContext,
): AsyncGenerator<ModelDelta> {
  const { request, offered, warnings } = toTextRequest(asked, tools);
  const deltas = model.stream(request, call);
  const fault = streamFault(deltas);
  if (fault !== undefined) throw corruptStream(model.id, fault);
  yield* offered.size === 0 ? deltas : withToolCalls(deltas, offered, call.callId, warnings);
}

function withTools(profile: ModelProfile): ModelProfile {
  if (support(profile, "tools") !== "no") return profile;
  return { ...profile, capabilities: { ...profile.capabilities, tools: "yes" } };
}
