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
 * A tool choice in the words of the wire. Some servers take only the words: where the one offered tool is named,
 * `required` says the same.
 *
 * @throws `capability_missing` when the model cannot be told; `invalid_request` when no such tool is offered.
 */
export function toToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly ToolDeclaration[],
  profile: ModelProfile,
  warnings: ModelWarning[],
): JsonValue | undefined {
  if (choice === undefined) return undefined;
  if (choice === "auto" || choice === "none") return tools.length === 0 ? undefined : choice;
  if (choice === "required") {
    if (tools.length === 0) throw noSuchTool("toolChoice is required, but no tool is offered.");
    if (support(profile, "tool_choice_required") === "no") throw lacks(profile, "tool_choice_required");
    return "required";
  }
  const { name } = choice;
  if (!tools.some((tool) => tool.name === name)) throw noSuchTool(`toolChoice names ${name}, which is not offered.`);
  if (support(profile, "tool_choice_named") !== "no") return { type: "function", function: { name } };
  if (tools.length > 1 || support(profile, "tool_choice_required") === "no") throw lacks(profile, "tool_choice_named");
  const message = `${profile.model} cannot be told a tool's name; "required" with the one tool says the same.`;
  warnings.push({ code: "changed_setting", setting: "toolChoice", message });
  return "required";
}

function lacks(profile: ModelProfile, capability: string): TinyAgentsError<"capability_missing"> {
  const model = `${profile.provider}/${profile.model}`;
  return new TinyAgentsError("capability_missing", `${model} cannot be told this toolChoice: it lacks ${capability}.`, {
    details: { model, capabilities: [capability] },
  });
}

function noSuchTool(message: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", message, { details: { reason: "tool_choice" } });
}
