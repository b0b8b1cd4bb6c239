import {
  type ChatModel,
  chooseModel,
  isModel,
  lackingCapabilities,
  lackingMedia,
  type Message,
  type ModelChoice,
  type ModelRegistry,
  type ModelRequest,
  type NamedModel,
  type RegisteredModel,
  type ResolvedModel,
  resolvedModel,
} from "@tinyagents/core";
import type { AgentOptions, OutputSchema } from "../options.js";

/** The model of one call, and those to turn to when it fails. */
export interface RunModel extends ModelChoice {
  /** The model itself first. */
  readonly chain: readonly NamedModel[];
}

/** What an agent chooses the model of a call from. Worked out once; the usual choice costs nothing. */
export interface AgentModels {
  /** What a call gets that asks for nothing in particular. */
  readonly usual: RunModel;
  /** Whether there is any other. */
  readonly alternatives: boolean;
  /**
   * The model of a call.
   * @throws `model_not_found` and `capability_missing`, before anything is sent.
   */
  choose(request: ModelRequest): RunModel;
}

type ModelOptions = Pick<AgentOptions<OutputSchema | undefined>, "model" | "fallbacks" | "models">;

/**
 * The models of an agent. `adapt`: what the agent makes of each model that it asks.
 * @throws `model_not_found` for a name that no registry has; TypeError where there is no model at all.
 */
export function agentModels(options: ModelOptions, adapt: (model: ChatModel) => ChatModel): AgentModels {
  const fitted = once(adapt);
  const registry = options.models === undefined ? undefined : fittedRegistry(options.models, fitted);
  const own = ownModel(options.model, registry, fitted);
  const fallbacks = (options.fallbacks ?? []).map((one) => namedOr(one, registry, fitted));
  const agent = options.model === undefined ? undefined : own;
  const chain = eachOnce([own, ...fallbacks]);
  const identity = resolvedModel(own.model);
  const chosenBy = agent === undefined ? "registry" : "agent";
  const resolved: ResolvedModel = { ...identity, ...(own.name === undefined ? {} : { name: own.name }), chosenBy };
  const usual: RunModel = { model: own.model, resolved, skipped: NONE, chain };
  const alternatives = registry !== undefined || fallbacks.length > 0;
  return {
    usual,
    alternatives,
    choose(request) {
      if (!asksForMore(request) && fits(own.model, request, alternatives)) return usual;
      const previous = request.reuseModel === true ? answeredBefore(request.messages) : undefined;
      const choice = chooseModel(request, { registry, agent, fallbacks, previous });
      const { model, resolved } = choice;
      return { ...choice, chain: eachOnce([{ model, name: resolved.name }, ...fallbacks]) };
    },
  };
}

const NONE: RunModel["skipped"] = [];

function asksForMore({ model, hints, reuseModel }: ModelRequest): boolean {
  return model !== undefined || hints !== undefined || reuseModel === true;
}

/** Media are looked for in every message, so only where another model could take them; else once, when a run begins. */
function fits({ profile }: ChatModel, request: ModelRequest, alternatives: boolean): boolean {
  if (profile.lifecycle === "retired" || lackingCapabilities(profile, request).length > 0) return false;
  return !alternatives || lackingMedia(profile, request.messages).length === 0;
}

/** The model that gave the last answer of a history. */
function answeredBefore(messages: readonly Message[]): ResolvedModel | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === "assistant" && message.model !== undefined) return message.model;
  }
  return undefined;
}

/** A model that is named twice is asked once. */
function eachOnce(models: readonly NamedModel[]): readonly NamedModel[] {
  return models.filter(({ model }, at) => models.findIndex((other) => other.model === model) === at);
}

function ownModel(
  model: ModelOptions["model"],
  registry: ModelRegistry | undefined,
  fitted: (model: ChatModel) => ChatModel,
): NamedModel {
  if (model !== undefined) return namedOr(model, registry, fitted);
  if (registry === undefined)
    throw new TypeError("createAgent: model: a ChatModel, or models to choose from, are expected");
  return existing(registry.model());
}

function namedOr(
  model: ChatModel | string,
  registry: ModelRegistry | undefined,
  fitted: (model: ChatModel) => ChatModel,
): NamedModel {
  if (typeof model !== "string") return { model: fitted(model) };
  if (registry === undefined) throw new TypeError(`createAgent: models: a registry that has "${model}" is expected`);
  return existing(registry.model(model));
}

function existing(found: RegisteredModel): RegisteredModel {
  if (isModel(found.model)) return found;
  throw new TypeError(`createAgent: models: a ChatModel is expected under the name "${found.name}"`);
}

function fittedRegistry(registry: ModelRegistry, fitted: (model: ChatModel) => ChatModel): ModelRegistry {
  return {
    names: registry.names,
    defaultName: registry.defaultName,
    has: (name) => registry.has(name),
    model(wanted) {
      const { name, model } = registry.model(wanted);
      // What is no model is left for whoever chooses: it has none of this name.
      return { name, model: isModel(model) ? fitted(model) : model };
    },
  };
}

function once(adapt: (model: ChatModel) => ChatModel): (model: ChatModel) => ChatModel {
  const made = new WeakMap<ChatModel, ChatModel>();
  return (model) => {
    const known = made.get(model) ?? adapt(model);
    made.set(model, known);
    return known;
  };
}
