import {
  type Capability,
  isJsonObject,
  isTinyAgentsError,
  type JsonObject,
  objectsOf,
  type Support,
  textOf,
} from "@tinyagents/core";
import { checkModelName, type OllamaOptions, readServerOptions, type ServerSettings } from "./options.js";
import { isCloudModel, type OllamaProfile, profileOf } from "./profile.js";
import { askServer } from "./server.js";

/** How a server is asked about its models. */
export interface OllamaDiscoveryOptions extends OllamaOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * What the server knows of one of its models, for `ollamaModel(model, { profile })`. The context window is the one in
 * use: the model's own `num_ctx`, else that of the model as it is loaded. It is absent when neither is known: the
 * server chooses when it loads the model, and often chooses far less than the model was made for.
 *
 * @throws `model_not_found`, `network`, `provider_*`, `cancelled`; TypeError for options that cannot work.
 */
export async function ollamaProfile(model: string, options: OllamaDiscoveryOptions = {}): Promise<OllamaProfile> {
  checkModelName("ollamaProfile", model);
  const settings = readServerOptions("ollamaProfile", options);
  const { signal } = options;
  const shown = await askServer(settings, { model, signal, call: (client) => client.show({ model }) });
  const cloud = isCloudModel(model, settings.baseUrl) || textOf(shown.remote_host) !== "";
  const known = profileOf(model, cloud);
  const trained = trainedContext(shown);
  const window = cloud ? trained : (contextSetting(shown) ?? (await loadedContext(settings, { model, signal })));
  const family = isJsonObject(shown.details) ? textOf(shown.details.family) : "";
  const thinkValues = thinkValuesOf(shown);
  return {
    ...known,
    ...(family === "" ? {} : { family }),
    capabilities: { ...known.capabilities, ...capabilitiesOf(shown) },
    // The server gives no more than the model was made for.
    ...(window === undefined ? {} : { contextWindow: Math.min(window, trained ?? window) }),
    ...(trained === undefined ? {} : { trainedContextWindow: trained }),
    ...(thinkValues === undefined ? {} : { thinkValues }),
  };
}

/** What Ollama calls what a model can do. */
const CAPABILITIES: readonly (readonly [ollama: string, Capability])[] = [
  ["tools", "tools"],
  ["vision", "image_input"],
  ["thinking", "reasoning"],
];

/** Old servers do not say: then all of it stays unknown. */
function capabilitiesOf({ capabilities }: JsonObject): { readonly [C in Capability]?: Support } {
  if (!Array.isArray(capabilities)) return {};
  const said = CAPABILITIES.map(
    ([name, capability]) => [capability, capabilities.includes(name) ? "yes" : "no"] as const,
  );
  return {
    ...Object.fromEntries(said),
    ...(capabilities.includes("tools") ? {} : { parallel_tool_calls: "no" }),
  };
}

/** @see https://docs.ollama.com/api-reference/show-model-details */
function trainedContext({ model_info: info }: JsonObject): number | undefined {
  if (!isJsonObject(info)) return undefined;
  const key = `${textOf(info["general.architecture"])}.context_length`;
  return tokens(info[key]);
}

/** The model's own setting. Parameters come as text, one on a line. */
function contextSetting({ parameters }: JsonObject): number | undefined {
  const setting = /^num_ctx\s+(\d+)\s*$/m.exec(textOf(parameters))?.[1];
  return setting === undefined ? undefined : tokens(Number(setting));
}

/** The context of the model as it is loaded, if it is. */
async function loadedContext(
  settings: ServerSettings,
  { model, signal }: { readonly model: string; readonly signal: AbortSignal | undefined },
): Promise<number | undefined> {
  const name = fullName(model);
  try {
    const running = await askServer(settings, { signal, call: (client) => client.ps() });
    const loaded = objectsOf(running.models).find((one) => fullName(textOf(one.model) || textOf(one.name)) === name);
    return tokens(loaded?.context_length);
  } catch (error) {
    // Old servers do not tell what they have loaded.
    if (isTinyAgentsError(error, "provider_bad_request") && error.details.status === 404) return undefined;
    throw error;
  }
}

/** A name without a tag means the latest. */
function fullName(model: string): string {
  return /:[^/]*$/.test(model) ? model : `${model}:latest`;
}

function thinkValuesOf({ thinking }: JsonObject): readonly (boolean | string)[] | undefined {
  if (!isJsonObject(thinking) || !Array.isArray(thinking.values)) return undefined;
  return thinking.values.filter((value) => typeof value === "boolean" || typeof value === "string");
}

function tokens(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}
