import {
  type JsonObject,
  type JsonValue,
  lackingCapabilities,
  type ModelProfile,
  type ModelRequest,
  type ModelWarning,
  type ResponseFormat,
  support,
  TinyAgentsError,
  type ToolDeclaration,
} from "@tinyagents/core";
import type { Settings } from "./options.js";
import { strictViolation } from "./strict-schema.js";
import type { MessageConverter, WireHistory } from "./to-messages.js";
import { toToolChoice } from "./to-tool-choice.js";

/** What goes on the wire, and what could not be said there. */
export interface PreparedRequest {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
}

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
  refuseMissing(profile, request, history);
  if (history.messages.length === 0) {
    throw new TinyAgentsError("invalid_request", "The request has no message with content.", {
      details: { reason: "no_messages" },
    });
  }
  const warnings = [...history.warnings];
  const { stream_options: streamOptions, ...own } = request.providerOptions?.[provider] ?? {};
  const body: { [key: string]: JsonValue } = { ...own, model: settings.model, messages: history.messages };
  if (delivery === "incremental") {
    body.stream = true;
    body.stream_options = { ...(streamOptions as JsonObject | undefined), include_usage: true };
  } else body.stream = false;
  addTools(body, request, profile, warnings);
  addFormat(body, request.responseFormat, warnings);
  addSampling(body, settings, request, warnings);
  return { body, warnings };
}

function refuseMissing(profile: ModelProfile, request: ModelRequest, history: WireHistory): void {
  const capabilities = lackingCapabilities(profile, request, history.needs);
  if (capabilities.length === 0) return;
  const model = `${profile.provider}/${profile.model}`;
  throw new TinyAgentsError(
    "capability_missing",
    `${model} lacks what the request needs: ${capabilities.join(", ")}.`,
    {
      details: { model, capabilities },
    },
  );
}

function addTools(
  body: { [key: string]: JsonValue },
  request: ModelRequest,
  profile: ModelProfile,
  warnings: ModelWarning[],
): void {
  const tools = request.tools ?? [];
  if (tools.length > 0) body.tools = tools.map(toTool);
  const choice = toToolChoice(request.toolChoice, tools, profile, warnings);
  if (choice !== undefined) body.tool_choice = choice;
}

const WIRE_TOOLS = new WeakMap<ToolDeclaration, JsonObject>();

function toTool(tool: ToolDeclaration): JsonObject {
  const known = WIRE_TOOLS.get(tool);
  if (known !== undefined) return known;
  const { name, description, inputSchema } = tool;
  const wire = { type: "function", function: { name, description, parameters: inputSchema } };
  WIRE_TOOLS.set(tool, wire);
  return wire;
}

function addFormat(
  body: { [key: string]: JsonValue },
  format: ResponseFormat | undefined,
  warnings: ModelWarning[],
): void {
  if (format === undefined) return;
  if (format.type === "text") body.response_format = { type: "text" };
  else if (format.type === "json") body.response_format = { type: "json_object" };
  else {
    const { name, schema } = format;
    const json_schema =
      format.strict === true ? { name, schema, strict: mayBeStrict(schema, warnings) } : { name, schema };
    body.response_format = { type: "json_schema", json_schema };
  }
}

function mayBeStrict(schema: JsonObject, warnings: ModelWarning[]): boolean {
  const violation = strictViolation(schema);
  if (violation === undefined) return true;
  const message = `The schema is sent without strict mode, which does not take it: ${violation}.`;
  warnings.push({ code: "changed_setting", setting: "responseFormat.strict", message });
  return false;
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
  const { profile, maxTokensField } = settings;
  for (const setting of SAMPLING) {
    const value = request[setting];
    if (value === undefined) continue;
    if (support(profile, "temperature") === "no") warnings.push(unsupported(profile, setting));
    else body[WIRE_NAMES[setting]] = value;
  }
  if (request.reasoningEffort !== undefined) {
    if (support(profile, "reasoning") === "no") warnings.push(unsupported(profile, "reasoningEffort"));
    else body.reasoning_effort = request.reasoningEffort;
  }
  if (request.maxOutputTokens !== undefined) {
    // Servers refuse both at once.
    delete body.max_tokens;
    delete body.max_completion_tokens;
    body[maxTokensField] = request.maxOutputTokens;
  }
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) body.stop = request.stopSequences;
  if (request.seed !== undefined) body.seed = request.seed;
}

function unsupported(profile: ModelProfile, setting: string): ModelWarning {
  return {
    code: "unsupported_setting",
    setting,
    message: `${profile.model} does not take ${setting}; it was not sent.`,
  };
}
