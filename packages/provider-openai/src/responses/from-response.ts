import { isJsonObject, type ModelDelta, type ModelWarning, malformedAnswer } from "@tinyagents/core";
import { blocksOfItem } from "./item.js";
import { finishOf, identityOf } from "./outcome.js";
import { safeItem } from "./safe-item.js";

/**
 * Turns an answer of the unary endpoint into deltas, a whole block each. They add up to what its stream adds up to.
 * @throws `provider_server` for what is no answer; the SDK's error for an answer that failed.
 */
export function readResponse(wire: unknown, provider: string, given: readonly ModelWarning[]): readonly ModelDelta[] {
  if (!isJsonObject(wire) || !Array.isArray(wire.output)) throw malformedAnswer(provider, "is no response");
  const warnings = [...given];
  const items = wire.output.filter(isJsonObject).map((item) => safeItem(item, warnings));
  const content = items.flatMap((item) => blocksOfItem(item, provider));
  const answered = {
    refused: content.some(({ type }) => type === "refusal"),
    called: content.some(({ type }) => type === "tool_call"),
  };
  return [
    { type: "start", ...identityOf(wire) },
    ...content.map((block, index): ModelDelta => ({ type: "block", index, block })),
    finishOf(wire, answered, warnings, provider),
  ];
}
