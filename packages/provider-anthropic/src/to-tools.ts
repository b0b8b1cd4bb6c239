import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelProfile,
  type ModelWarning,
  oncePer,
  support,
  TinyAgentsError,
  type ToolChoice,
  type ToolDeclaration,
} from "@tinyagents/core";
import { toToolSchema } from "./tool-schema.js";

/**
 * The tools of a request, after those that the provider itself runs (web search and the like), which come with its own
 * options. Where both have a name, ours wins.
 */
export function toTools(
  tools: readonly ToolDeclaration[],
  own: JsonValue | undefined,
  warnings: ModelWarning[],
): readonly JsonObject[] {
  const names = new Set(tools.map(({ name }) => name));
  const theirs = Array.isArray(own) ? own.filter(isJsonObject).filter(({ name }) => !names.has(String(name))) : [];
  const ours = tools.map(toTool);
  const changed = ours.flatMap(({ wire, isChanged }) => (isChanged ? [wire.name] : []));
  if (changed.length > 0) {
    const message = `Alternatives at the root of a schema are not taken; they were laid over each other: ${changed.join(", ")}.`;
    warnings.push({ code: "changed_setting", setting: "tools", message });
  }
  return [...theirs, ...ours.map(({ wire }) => wire)];
}

interface WireTool {
  readonly wire: JsonObject;
  readonly isChanged: boolean;
}

const toTool = oncePer(({ name, description, inputSchema }: ToolDeclaration): WireTool => {
  const { wire: input_schema, isChanged } = toToolSchema(inputSchema);
  return { wire: { name, description, input_schema }, isChanged };
});

/** Whether a tool choice in the words of the wire says that the model must call a tool. */
export function isForced(choice: JsonValue | undefined): boolean {
  return isJsonObject(choice) && (choice.type === "any" || choice.type === "tool");
}

/**
 * A tool choice in the words of the wire. Where the one tool that is offered is named and the model cannot be told a
 * name, `any` says the same. Whatever else the provider's own options say of it (`disable_parallel_tool_use`) stays.
 *
 * @throws `invalid_request` when no such tool is offered.
 */
export function toToolChoice(
  choice: ToolChoice | undefined,
  tools: readonly ToolDeclaration[],
  own: JsonValue | undefined,
  profile: ModelProfile,
  warnings: ModelWarning[],
): JsonValue | undefined {
  if (choice === undefined) return own;
  const rest = isJsonObject(own) ? own : {};
  if (choice === "none") return tools.length === 0 ? undefined : { type: "none" };
  if (choice === "auto") return tools.length === 0 ? undefined : { ...parallel(rest), type: "auto" };
  if (choice === "required") {
    if (tools.length === 0) throw noSuchTool("toolChoice is required, but no tool is offered.");
    return { ...parallel(rest), type: "any" };
  }
  const { name } = choice;
  if (!tools.some((tool) => tool.name === name)) throw noSuchTool(`toolChoice names ${name}, which is not offered.`);
  if (support(profile, "tool_choice_named") !== "no") return { ...parallel(rest), type: "tool", name };
  const message = `${profile.model} cannot be told a tool's name; "any" with the one tool says the same.`;
  warnings.push({ code: "changed_setting", setting: "toolChoice", message });
  return { ...parallel(rest), type: "any" };
}

function parallel({ disable_parallel_tool_use: disabled }: JsonObject): JsonObject {
  return disabled === undefined ? {} : { disable_parallel_tool_use: disabled };
}

function noSuchTool(message: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", message, { details: { reason: "tool_choice" } });
}
