import {
  type JsonValue,
  type ModelProfile,
  type ModelWarning,
  support,
  TinyAgentsError,
  type ToolChoice,
  type ToolDeclaration,
} from "@tinyagents/core";

/**
 * A tool choice in the words of the wire, for a model that can be told it. Some servers take only the words: where the
 * one offered tool is named, `required` says the same. `own`: how many of the server's own tools are offered beside them.
 *
 * @throws `invalid_request` when no such tool is offered.
 */
export function toToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly ToolDeclaration[],
  profile: ModelProfile,
  warnings: ModelWarning[],
  own = 0,
): JsonValue | undefined {
  if (choice === undefined) return undefined;
  const nothingOffered = tools.length + own === 0;
  if (choice === "auto" || choice === "none") return nothingOffered ? undefined : choice;
  if (choice === "required") {
    if (nothingOffered) throw noSuchTool("toolChoice is required, but no tool is offered.");
    return "required";
  }
  const { name } = choice;
  if (!tools.some((tool) => tool.name === name)) throw noSuchTool(`toolChoice names ${name}, which is not offered.`);
  if (support(profile, "tool_choice_named") !== "no") return { type: "function", function: { name } };
  const message = `${profile.model} cannot be told a tool's name; "required" with the one tool says the same.`;
  warnings.push({ code: "changed_setting", setting: "toolChoice", message });
  return "required";
}

function noSuchTool(message: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", message, { details: { reason: "tool_choice" } });
}
