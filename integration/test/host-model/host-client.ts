import { type ChatModel, type Message, type ModelDelta, TinyAgentsError, text } from "@tinyagents/core";

/** What an application had before: a client with keys, a plan that is paid for, and names of its own for models. */
export interface HostClient {
  complete(route: string, prompt: string, signal: AbortSignal | undefined): Promise<HostAnswer>;
}

/** An answer, or the host's own word for why there is none. */
export type HostAnswer =
  | { readonly said: string; readonly tokens: { readonly in: number; readonly out: number } }
  | { readonly refused: "plan_used_up" | "signed_out" };

/** The host's client as a model: a translation both ways. Keys, sign-in and plans stay the client's. */
export function hostModel(route: string, client: HostClient): ChatModel {
  const provider = "host";
  return {
    id: `${provider}/${route}`,
    profile: {
      provider,
      model: route,
      capabilities: { tools: "no", image_input: "no" },
      lifecycle: "active",
      source: "cloud",
    },
    async *stream({ messages }, { signal }): AsyncGenerator<ModelDelta, void, undefined> {
      const answer = await client.complete(route, messages.map(line).join("\n"), signal);
      if ("refused" in answer) throw failure(answer.refused);
      yield { type: "text", index: 0, text: answer.said };
      const { tokens } = answer;
      yield { type: "usage", usage: { inputTokens: tokens.in, outputTokens: tokens.out, source: "reported" } };
      yield { type: "finish", finishReason: "stop" };
    },
  };
}

function line(message: Message): string {
  return `${message.role}: ${text(message)}`;
}

/** What a failure means for retries and fallbacks is the host's knowledge. */
function failure(reason: "plan_used_up" | "signed_out"): TinyAgentsError {
  const details = { provider: "host", providerCode: reason };
  return reason === "plan_used_up"
    ? new TinyAgentsError("provider_billing", "The plan is used up.", { details })
    : new TinyAgentsError("provider_auth", "Nobody is signed in.", { details });
}
