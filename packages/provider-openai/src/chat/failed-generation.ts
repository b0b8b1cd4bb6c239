import {
  hashText,
  isJsonObject,
  type ModelDelta,
  type ModelWarning,
  redactText,
  type ToolDeclaration,
} from "@tinyagents/core";
import { APIError } from "openai";

/**
 * What a model said when its server refused its tool call (`failed_generation`): not a failure of the request but a
 * mistake of the model, which can be told of it. An invalid call, or text where no call can be seen in it.
 * @see https://console.groq.com/docs/tool-use
 */
export function readFailedGeneration(
  error: unknown,
  tools: readonly ToolDeclaration[],
  firstIndex: number,
  warnings: readonly ModelWarning[],
  secrets: readonly string[],
): readonly ModelDelta[] | undefined {
  if (!(error instanceof APIError) || !isJsonObject(error.error)) return undefined;
  const { failed_generation: generated, message } = error.error;
  if (typeof generated !== "string" || generated.trim() === "") return undefined;
  const raw = redactText(generated, secrets);
  const reason = typeof message === "string" ? redactText(message, secrets) : "The server refused this tool call.";
  const name = calledName(raw, tools);
  const warning: ModelWarning = {
    code: "malformed_data",
    message: `The server refused what the model wrote: ${reason}`,
  };
  const finish = { type: "finish", warnings: [...warnings, warning], rawFinishReason: "tool_use_failed" } as const;
  if (name === undefined) {
    return [
      { type: "block", index: firstIndex, block: { type: "text", text: raw } },
      { ...finish, finishReason: "stop" },
    ];
  }
  const id = `call_${hashText(raw)}`;
  return [
    {
      type: "block",
      index: firstIndex,
      block: { type: "tool_call", id, name, args: {}, invalid: { reason, raw } },
    },
    { ...finish, finishReason: "tool_calls" },
  ];
}

/** The tool that the text means to call; nothing for prose. */
function calledName(raw: string, tools: readonly ToolDeclaration[]): string | undefined {
  const written = /"name"\s*:\s*"([^"]+)"/.exec(raw)?.[1] ?? /<function[=(\s]+"?([\w.-]+)/.exec(raw)?.[1];
  if (written !== undefined) return written;
  return raw.includes("{") ? tools.find(({ name }) => raw.includes(name))?.name : undefined;
}
