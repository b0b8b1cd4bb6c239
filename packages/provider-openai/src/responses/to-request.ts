import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelRequest,
  type ModelWarning,
  notSent,
  oncePer,
  ownOptions,
  type ResponseFormat,
  refuseEmpty,
  refuseMissing,
  support,
  type ToolDeclaration,
} from "@tinyagents/core";
import type { Settings } from "../options.js";
import { type PreparedRequest, toSchemaFormat } from "../prepare.js";
import { toToolChoice } from "../to-tool-choice.js";
import type { InputConverter } from "./to-input.js";

type Body = { [key: string]: JsonValue };

/**
 * A request in the words of the Responses API. The provider's own options are under normalized fields, so they add and
 * never override; tools of its own stand beside ours.
 *
 * @throws `capability_missing` when the profile does not affirm what is required, or denies what is used;
 * `invalid_request` for what no server would take.
 */
export function toRequest(
  settings: Settings,
  request: ModelRequest,
  delivery: "incremental" | "whole",
  converter: InputConverter,
): PreparedRequest {
  const { profile, provider, model, store } = settings;
  const { previousResponseId } = request;
  const input = converter.convert(request.messages, previousResponseId);
  refuseMissing(profile, request, input.needs);
  refuseEmpty(input.items);
  const warnings = [...input.warnings];
  const body: Body = { ...inForeground(request, provider, warnings), model };
  if (input.instructions !== undefined) body.instructions = input.instructions;
  body.input = input.items;
  body.store = store;
  body.stream = delivery === "incremental";
  if (previousResponseId !== undefined) body.previous_response_id = previousResponseId;
  if (!store && support(profile, "reasoning") !== "no") include(body, "reasoning.encrypted_content");
  addTools(body, request, settings, warnings);
  addFormat(body, request.responseFormat, warnings);
  addSampling(body, settings, request, warnings);
  return { body, warnings };
}

/** Answers are waited for: none is sent to the background. */
function inForeground(request: ModelRequest, provider: string, warnings: ModelWarning[]): Body {
  const { background, ...own } = ownOptions(request, provider);
  if (background === true) {
    const message = "Answers are waited for; background was left out.";
    warnings.push({ code: "unsupported_setting", setting: `providerOptions.${provider}.background`, message });
  }
  return own;
}

function include(body: Body, what: string): void {
  const given = Array.isArray(body.include) ? body.include : [];
  body.include = given.includes(what) ? given : [...given, what];
}

function addTools(body: Body, request: ModelRequest, { profile }: Settings, warnings: ModelWarning[]): void {
  const tools = request.tools ?? [];
  const own = Array.isArray(body.tools) ? body.tools : [];
  if (tools.length + own.length > 0) body.tools = [...tools.map(toTool), ...own];
  const choice = toToolChoice(request.toolChoice, tools, profile, warnings, own.length);
  if (choice === undefined) return;
  body.tool_choice = typeof choice === "string" ? choice : namedChoice(request.toolChoice);
}

function namedChoice(choice: ModelRequest["toolChoice"]): JsonObject {
  return { type: "function", name: typeof choice === "object" ? choice.name : "" };
}

/** Without `strict` the server would take the schema for a strict one. */
const toTool = oncePer(
  ({ name, description, inputSchema }: ToolDeclaration): JsonObject => ({
    type: "function",
    name,
    description,
    parameters: inputSchema,
    strict: false,
  }),
);

function addFormat(body: Body, format: ResponseFormat | undefined, warnings: ModelWarning[]): void {
  if (format === undefined) return;
  const own = isJsonObject(body.text) ? body.text : {};
  body.text = { ...own, format: toFormat(format, warnings) };
}

function toFormat(format: ResponseFormat, warnings: ModelWarning[]): JsonObject {
  if (format.type === "text") return { type: "text" };
  if (format.type === "json") return { type: "json_object" };
  return { type: "json_schema", ...toSchemaFormat(format, warnings) };
}

function addSampling(body: Body, { profile }: Settings, request: ModelRequest, warnings: ModelWarning[]): void {
  const sampled = support(profile, "temperature") !== "no";
  if (request.temperature !== undefined) {
    if (sampled) body.temperature = request.temperature;
    else warnings.push(...notSent(profile.model, { temperature: request.temperature }));
  }
  if (request.topP !== undefined) {
    if (sampled) body.top_p = request.topP;
    else warnings.push(...notSent(profile.model, { topP: request.topP }));
  }
  if (request.reasoningEffort !== undefined) {
    if (support(profile, "reasoning") === "no")
      warnings.push(...notSent(profile.model, { reasoningEffort: request.reasoningEffort }));
    else body.reasoning = { ...(isJsonObject(body.reasoning) ? body.reasoning : {}), effort: request.reasoningEffort };
  }
  if (request.maxOutputTokens !== undefined) body.max_output_tokens = request.maxOutputTokens;
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) {
    warnings.push(...notSent(profile.model, { stopSequences: request.stopSequences }));
  }
  warnings.push(...notSent(profile.model, { seed: request.seed }));
}
