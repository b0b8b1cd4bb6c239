import {
  type ChatModel,
  isJsonObject,
  jsonLines,
  type ModelProfile,
  notSent,
  providerModel,
  refuseMissing,
} from "@tinyagents/core";
import { type AcmeOptions, post, refusal } from "./acme-client.js";
import { toBody, toDeltas } from "./acme-words.js";

const CAPABILITIES: ModelProfile["capabilities"] = {
  tools: "yes",
  tool_call_streaming: "yes",
  tool_choice_required: "yes",
  tool_choice_named: "yes",
  structured_output: "yes",
  streaming: "yes",
  system_messages: "yes",
  json_mode: "no",
  image_input: "no",
  audio_input: "no",
  file_input: "no",
};

/** A model behind Acme's chat API. */
export function acmeModel(model: string, options: AcmeOptions): ChatModel {
  const call = { provider: "acme", model, secrets: [options.apiKey] };
  const profile: ModelProfile = {
    provider: "acme",
    model,
    capabilities: CAPABILITIES,
    lifecycle: "active",
    source: "cloud",
  };
  return providerModel(profile, {
    secrets: call.secrets,
    async *ask(request, { signal }) {
      refuseMissing(profile, request);
      const body = toBody(model, request);
      const { topP, seed, reasoningEffort } = request;
      const warnings = notSent(model, { topP, seed, reasoningEffort });
      const answer = await post({ ...options, path: "/chat", body, signal }, call);
      for await (const frame of jsonLines(answer.body, "data: ")) {
        if (isJsonObject(frame.error)) throw refusal(frame, call);
        yield* toDeltas(frame, warnings);
      }
    },
  });
}
