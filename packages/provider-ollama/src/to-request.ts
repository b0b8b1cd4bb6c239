import {
  approximateTokens,
  fingerprint,
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
  TinyAgentsError,
  type ToolDeclaration,
} from "@tinyagents/core";
import type { ModelSettings } from "./options.js";
import { PROVIDER } from "./profile.js";
import { toThink } from "./thinking.js";
import type { MessageConverter } from "./to-messages.js";

type Body = { [key: string]: JsonValue };

/** What goes on the wire, and what is to be known when the answer comes. */
export interface PreparedRequest {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
  /** Of the prompt, estimated. */
  readonly estimatedTokens: number;
  /** The context that was asked for, in tokens. */
  readonly contextWindow: number | undefined;
  /** An id for a call that came without: the same for the same answer to the same request. */
  callId(ordinal: number, name: string, args: string): string;
}

/**
 * A request in the words of `/api/chat`. The provider's own options are under normalized fields, so they add and never
 * override.
 *
 * @throws `capability_missing` when the profile does not affirm what is required, or denies what is used;
 * `invalid_request` for what no server would take.
 */
export function toRequest(
  settings: ModelSettings,
  request: ModelRequest,
  delivery: "incremental" | "whole",
  converter: MessageConverter,
): PreparedRequest {
  const history = converter.convert(request.messages);
  refuseMissing(settings.profile, request, history.needs);
  const { messages } = history;
  refuseEmpty(messages);
  const warnings = [...history.warnings];
  const tools = toolsToSend(request, warnings);
  const { options: given, ...own } = ownOptions(request, PROVIDER);
  const body: Body = { ...own, model: settings.model, messages, stream: delivery === "incremental" };
  if (tools.length > 0) body.tools = tools.map((tool) => wireTool(tool).wire);
  addFormat(body, request.responseFormat);
  addThink(body, settings, request, warnings);
  if (settings.onTruncation === "error") {
    body.truncate = false;
    body.shift = false;
  }
  const options = toOptions(given, settings, request, warnings);
  if (Object.keys(options).length > 0) body.options = options;
  return {
    body,
    warnings,
    estimatedTokens: tools.reduce((sum, tool) => sum + wireTool(tool).tokens, history.tokens),
    contextWindow: typeof options.num_ctx === "number" ? options.num_ctx : undefined,
    callId: (ordinal, name, args) => {
      const place = [messages.length, messages.at(-1) ?? null, ordinal, name, args];
      return `call_${fingerprint(place)}`;
    },
  };
}

/** The tools that the model may call: none of them is offered where it must call none. Nothing can make it call one. */
function toolsToSend({ tools = [], toolChoice }: ModelRequest, warnings: ModelWarning[]): readonly ToolDeclaration[] {
  if (toolChoice === "none") return [];
  if (toolChoice === undefined || toolChoice === "auto") return tools;
  const wanted = toolChoice === "required" ? tools : tools.filter(({ name }) => name === toolChoice.name);
  if (wanted.length === 0) throw noSuchTool();
  const message = "Ollama cannot be told that a tool must be called; the tools were offered without that.";
  warnings.push({ code: "unsupported_setting", setting: "toolChoice", message });
  return wanted;
}

interface WireTool {
  readonly wire: JsonObject;
  readonly tokens: number;
}

const wireTool = oncePer(({ name, description, inputSchema }: ToolDeclaration): WireTool => {
  const wire = { type: "function", function: { name, description, parameters: inputSchema } };
  return { wire, tokens: approximateTokens(JSON.stringify(wire.function)) };
});

function addFormat(body: Body, format: ResponseFormat | undefined): void {
  if (format === undefined) return;
  if (format.type === "text") delete body.format;
  else body.format = format.type === "json" ? "json" : format.schema;
}

function addThink(body: Body, { profile }: ModelSettings, request: ModelRequest, warnings: ModelWarning[]): void {
  if (request.reasoningEffort === undefined) return;
  const { think, warning } = toThink(request.reasoningEffort, profile);
  if (warning !== undefined) warnings.push(warning);
  if (think === undefined) delete body.think;
  else body.think = think;
}

/** @see https://docs.ollama.com/modelfile#parameter */
function toOptions(
  own: JsonValue | undefined,
  { profile }: ModelSettings,
  request: ModelRequest,
  warnings: ModelWarning[],
): JsonObject {
  const options: Body = {};
  // Hosted models have the context that they have.
  if (profile.contextWindow !== undefined && profile.source !== "cloud") options.num_ctx = profile.contextWindow;
  if (isJsonObject(own)) Object.assign(options, own);
  else if (own !== undefined)
    warnings.push(unsupported("providerOptions.ollama.options is no object; it was not sent."));
  if (request.maxOutputTokens !== undefined) options.num_predict = request.maxOutputTokens;
  if (request.stopSequences !== undefined && request.stopSequences.length > 0) options.stop = request.stopSequences;
  if (request.seed !== undefined) options.seed = request.seed;
  if (support(profile, "temperature") === "no") {
    warnings.push(...notSent(profile.model, { temperature: request.temperature, topP: request.topP }));
    return options;
  }
  if (request.temperature !== undefined) options.temperature = request.temperature;
  if (request.topP !== undefined) options.top_p = request.topP;
  return options;
}

function unsupported(message: string): ModelWarning {
  return { code: "unsupported_setting", setting: "providerOptions", message };
}

function noSuchTool(): TinyAgentsError<"invalid_request"> {
  const message = "toolChoice demands a tool that is not offered.";
  return new TinyAgentsError("invalid_request", message, { details: { reason: "tool_choice" } });
}
