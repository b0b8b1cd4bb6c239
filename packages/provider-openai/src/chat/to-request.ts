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
import { type PreparedRequest, type SchemaFormat, toSchemaFormat } from "../prepare.js";
import { toToolChoice } from "../to-tool-choice.js";
import type { MessageConverter } from "./to-messages.js";

/**
 * A request in the words of Chat Completions. The provider's own options are under normalized fields, so they add and
 * never override.
 *
 * @throws `capability_missing` when the profile does not affirm what is required, or denies what is used;
 * `invalid_request` for what no server would take.
 */
export function toRequest(
  settings: Settings,
  request: ModelRequest,
  delivery: "incremental" | "whole",
  converter: MessageConverter,
): PreparedRequest {
  const { profile, provider } = settings;
  const history = converter.convert(request.messages);
  refuseMissing(profile, request, history.needs);
  refuseEmpty(history.messages);
  const warnings = [...history.warnings];
  const { stream_options: streamOptions, ...own } = ownOptions(request, provider);
  const body: { [key: string]: JsonValue } = { ...own, model: settings.model, messages: history.messages };
  if (delivery === "incremental") {
    body.stream = true;
    if (settings.quirks.streamOptions !== false) {
      body.stream_options = { ...(isJsonObject(streamOptions) ? streamOptions : {}), include_usage: true };
    }
  } else body.stream = false;
  addTools(body, request, settings, warnings);
  addFormat(body, request.responseFormat, warnings);
  addSampling(body, settings, request, warnings);
  return { body, warnings };
}

function addTools(
  body: { [key: string]: JsonValue },
  request: ModelRequest,
  { profile, quirks }: Settings,
  warnings: ModelWarning[],
): void {
  const tools = request.tools ?? [];
  if (tools.length > 0) body.tools = tools.map(toTool);
  const choice = toToolChoice(request.toolChoice, tools, profile, warnings);
  if (choice !== undefined) body.tool_choice = choice === "required" ? (quirks.requiredToolChoice ?? choice) : choice;
}

const toTool = oncePer(
  ({ name, description, inputSchema }: ToolDeclaration): JsonObject => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }),
);

function addFormat(
  body: { [key: string]: JsonValue },
  format: ResponseFormat | undefined,
  warnings: ModelWarning[],
): void {
  if (format === undefined) return;
  if (format.type === "text") body.response_format = { type: "text" };
  else if (format.type === "json") body.response_format = { type: "json_object" };
  else
    body.response_format = {
      type: "json_schema",
      json_schema: toWire(toSchemaFormat(format, warnings), format.strict),
    };
}

/** Not strict is what servers take for granted, and some refuse to be told. */
function toWire({ strict, ...format }: SchemaFormat, asked: boolean | undefined): JsonObject {
  return asked === true ? { ...format, strict } : format;
}

/** The settings that models which choose their own sampling refuse. */
const SAMPLING = ["temperature", "topP"] as const;
const WIRE_NAMES = { temperature: "temperature", topP: "top_p" } as const;

function addSampling(
  body: { [key: string]: JsonValue },
  settings: Settings,
  request: ModelRequest,
  warnings: ModelWarning[],
): void {
  const { profile, quirks } = settings;
  for (const setting of SAMPLING) {
    const value = request[setting];
    if (value === undefined) continue;
    if (support(profile, "temperature") === "no") warnings.push(...notSent(profile.model, { [setting]: value }));
    else body[WIRE_NAMES[setting]] = value;
  }
  if (request.reasoningEffort !== undefined) {
    if (support(profile, "reasoning") === "no")
      warnings.push(...notSent(profile.model, { reasoningEffort: request.reasoningEffort }));
    else body.reasoning_effort = request.reasoningEffort;
  }
  if (request.maxOutputTokens !== undefined) {
    // Servers refuse both at once.
    delete body.max_tokens;
    delete body.max_completion_tokens;
    body[quirks.maxTokensField ?? "max_tokens"] = request.maxOutputTokens;
  }
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) body.stop = request.stopSequences;
  if (request.seed !== undefined) body[quirks.seedField ?? "seed"] = request.seed;
}
