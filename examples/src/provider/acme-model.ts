import {
  type ChatModel,
  cutShortError,
  isJsonObject,
  isTinyAgentsError,
  lackingMedia,
  type ModelProfile,
  type ModelRequest,
  onAbort,
  refuseMissing,
  TinyAgentsError,
  throwIfAborted,
} from "@tinyagents/core";
import { networkError, refusal } from "./acme-errors.js";
import { AcmeReader, framesOf } from "./acme-reader.js";
import { toBody } from "./acme-request.js";

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
export function acmeModel(model: string, options: { readonly apiKey: string; readonly baseUrl?: string }): ChatModel {
  const { apiKey, baseUrl = "https://api.acme.example" } = options;
  const known = { capabilities: CAPABILITIES, lifecycle: "active", source: "cloud" } as const;
  const profile: ModelProfile = { provider: "acme", model, ...known };
  return {
    id: `acme/${model}`,
    profile,
    async *stream(request, { signal, delivery }) {
      throwIfAborted(signal);
      checkRequest(profile, request);
      const { body, warnings } = toBody(model, request, delivery === "incremental");
      const reader = new AcmeReader(warnings);
      const connection = new AbortController();
      const unlink = onAbort(signal, () => connection.abort());
      try {
        const response = await fetch(`${baseUrl}/chat`, {
          method: "POST",
          headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
          body: JSON.stringify(body),
          signal: connection.signal,
        });
        if (!response.ok) throw refusal(await response.text(), { model, apiKey, response });
        for await (const frame of framesOf(response)) {
          if (isJsonObject(frame.error)) throw refusal(JSON.stringify(frame), { model, apiKey });
          yield* reader.read(frame);
        }
        if (!reader.finished) throw cutShortError(reader.text, "acme");
      } catch (error) {
        throwIfAborted(signal);
        throw isTinyAgentsError(error) ? error : networkError(error, apiKey, reader.text);
      } finally {
        unlink();
        connection.abort();
      }
    },
  };
}

/** What cannot be sent fails before it is. */
function checkRequest(profile: ModelProfile, request: ModelRequest): void {
  const asked = request.messages.filter(({ role }) => role === "user");
  refuseMissing(profile, request, lackingMedia(profile, asked));
  if (request.messages.length > 0) return;
  throw new TinyAgentsError("invalid_request", "There is no message to answer.", {
    details: { reason: "no_messages" },
  });
}
