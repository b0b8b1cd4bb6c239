import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelProfile,
  type ModelRequest,
  type ModelWarning,
  notSent,
  ownOptions,
  refuseEmpty,
  refuseMissing,
  support,
} from "@tinyagents/core";
import { markPrompt } from "./cache.js";
import type { Settings } from "./options.js";
import { toOutputSchema } from "./output-schema.js";
import type { MessageConverter, WireHistory } from "./to-messages.js";
import { asksToThink, toThinking } from "./to-thinking.js";
import { isForced, toToolChoice, toTools } from "./to-tools.js";

/** What goes on the wire, and what could not be said there. */
export interface PreparedRequest {
  readonly body: JsonObject;
  /** Names of features that the server offers only to those who ask for them in a header. */
  readonly betas: readonly string[];
  readonly warnings: readonly ModelWarning[];
}

type Body = { [key: string]: JsonValue };

/** The longest answer that is asked for where neither the request nor the profile says one, in tokens. */
const DEFAULT_MAX_TOKENS = 4_096;

/**
 * A request in the words of the Messages API. The provider's own options are under normalized fields, so they add and
 * never override. `nowMs` says which containers have expired.
 *
 * @throws `capability_missing` when the profile does not affirm what is required, or denies what is used;
 * `invalid_request` for what no server would take.
 */
export function toRequest(
  settings: Settings,
  request: ModelRequest,
  converter: MessageConverter,
  nowMs: number,
): PreparedRequest {
  const history = converter.convert(request.messages);
  refuseMissing(settings.profile, request, history.needs);
  refuseEmpty(history.turns);
  const warnings = [...history.warnings];
  const { betas, ...own } = ownOptions(request, settings.provider);
  const body: Body = { ...own, model: settings.model };
  addMaxTokens(body, settings.profile, request, warnings);
  addPrompt(body, settings, request, history, warnings);
  addOutput(body, settings, request, history, warnings);
  addSampling(body, settings.profile, request, warnings);
  if (body.container === undefined) addContainer(body, history, nowMs);
  return { body, betas: Array.isArray(betas) ? betas.map(String) : [], warnings };
}

/** The server wants to be told the longest answer, and refuses more than the model can write. */
function addMaxTokens(body: Body, profile: ModelProfile, request: ModelRequest, warnings: ModelWarning[]): void {
  const own = typeof body.max_tokens === "number" ? body.max_tokens : undefined;
  const most = profile.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  const asked = request.maxOutputTokens ?? own ?? profile.maxOutputTokens ?? DEFAULT_MAX_TOKENS;
  body.max_tokens = Math.min(asked, most);
  if (asked <= most) return;
  const message = `${profile.model} writes at most ${most} tokens; ${asked} were asked for.`;
  warnings.push({ code: "changed_setting", setting: "maxOutputTokens", message });
}

function addPrompt(
  body: Body,
  settings: Settings,
  request: ModelRequest,
  history: WireHistory,
  warnings: ModelWarning[],
): void {
  const declared = request.tools ?? [];
  const tools = toTools(declared, body.tools, warnings);
  const choice = toToolChoice(request.toolChoice, declared, body.tool_choice, settings.profile, warnings);
  const reserved = isJsonObject(body.cache_control) ? 1 : 0;
  const prompt = markPrompt(
    { tools, system: history.system, turns: history.turns },
    settings.cache,
    reserved,
    warnings,
  );
  if (tools.length > 0) body.tools = prompt.tools;
  if (choice === undefined) delete body.tool_choice;
  else body.tool_choice = choice;
  if (prompt.system.length > 0) body.system = prompt.system;
  body.messages = prompt.turns.map(({ role, content }) => ({ role, content }));
}

function addOutput(
  body: Body,
  settings: Settings,
  request: ModelRequest,
  history: WireHistory,
  warnings: ModelWarning[],
): void {
  const { thinking, effort } = toThinking({
    settings,
    request,
    own: isJsonObject(body.thinking) ? body.thinking : undefined,
    isForced: isForced(body.tool_choice),
    maxTokens: Number(body.max_tokens),
    turns: history.turns,
    warnings,
  });
  if (thinking === undefined) delete body.thinking;
  else body.thinking = thinking;
  const config: Body = isJsonObject(body.output_config) ? { ...body.output_config } : {};
  if (effort !== undefined) config.effort = effort;
  const format = request.responseFormat;
  if (format?.type === "text") delete config.format;
  if (format?.type === "json_schema") {
    config.format = { type: "json_schema", schema: toOutputSchema(format.schema, warnings) };
  }
  if (Object.keys(config).length > 0) body.output_config = config;
  else delete body.output_config;
}

const SAMPLING = [
  ["temperature", "temperature"],
  ["topP", "top_p"],
] as const;

function addSampling(body: Body, profile: ModelProfile, request: ModelRequest, warnings: ModelWarning[]): void {
  for (const [setting, name] of SAMPLING) {
    const value = request[setting];
    if (value === undefined) continue;
    if (support(profile, "temperature") === "no") warnings.push(...notSent(profile.model, { [setting]: value }));
    else if (asksToThink(body.thinking)) {
      const message = `${profile.model} chooses its own sampling where it thinks; ${setting} was not sent.`;
      warnings.push({ code: "changed_setting", setting, message });
    } else body[name] = value;
  }
  warnings.push(...notSent(profile.model, { seed: request.seed }));
  if (request.previousResponseId !== undefined) {
    const message = "The Messages API keeps no answers to go on from; the whole history was sent.";
    warnings.push({ code: "unsupported_setting", setting: "previousResponseId", message });
  }
  addStops(body, request.stopSequences ?? [], warnings);
}

/** The server refuses stop sequences that are nothing but white space. */
function addStops(body: Body, stops: readonly string[], warnings: ModelWarning[]): void {
  const taken = stops.filter((stop) => stop.trim() !== "");
  if (taken.length > 0) body.stop_sequences = taken;
  if (taken.length === stops.length) return;
  const message = "Stop sequences that are nothing but white space are not taken; they were left out.";
  warnings.push({ code: "changed_setting", setting: "stopSequences", message });
}

/** The container in which the last answer's code ran, so that what it left there is still there. */
function addContainer(body: Body, { container }: WireHistory, nowMs: number): void {
  if (typeof container?.id !== "string") return;
  const expiresAtMs = typeof container.expires_at === "string" ? Date.parse(container.expires_at) : Number.NaN;
  if (expiresAtMs > nowMs) body.container = container.id;
}
