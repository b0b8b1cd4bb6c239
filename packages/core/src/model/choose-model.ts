import { TinyAgentsError } from "../errors.js";
import { type ChatModel, isModel, type NamedModel, resolvedModel } from "./chat-model.js";
import { type Capability, lackingCapabilities, lackingMedia, type ModelRung, type ResolvedModel } from "./profile.js";
import { type ModelRegistry, modelNotFound } from "./registry.js";
import type { ModelRequest } from "./request.js";

/** What a call may choose its model from. */
export interface ModelSources {
  readonly registry?: ModelRegistry | undefined;
  /** The model of the agent. `name`: where it has one in the registry. */
  readonly agent?: NamedModel | undefined;
  /** The model that answered before, as state keeps it. It counts where the request wants it again. */
  readonly previous?: ResolvedModel | undefined;
  /** Models to turn to, in order. */
  readonly fallbacks?: readonly NamedModel[] | undefined;
}

/** A model that was passed over, and why. */
export interface SkippedModel {
  readonly rung: ModelRung;
  /** Its registry name where it has one, else its id. */
  readonly model: string;
  readonly reason: "not_registered" | "retired" | "capability_missing";
  /** What it lacks. */
  readonly capabilities?: readonly Capability[];
}

/** The model of a call. */
export interface ModelChoice {
  readonly model: ChatModel;
  /** Its identity, with the name and the rung that chose it. */
  readonly resolved: ResolvedModel;
  /** Those that stood before it, in their order. */
  readonly skipped: readonly SkippedModel[];
}

interface Candidate {
  readonly rung: ModelRung;
  /** As records of skipped models have it. */
  readonly label: string;
  /** Absent: the registry does not know it. */
  readonly model?: ChatModel | undefined;
  readonly name?: string | undefined;
}

/**
 * Chooses the model of a call, before anything is sent: the one that the request names, and no other then; else the
 * first that has what the request needs of these: the one that answered before (where `reuseModel` asks for it), the
 * hints in their order, the agent's own, the registry's default, the fallbacks. Retired models are passed over.
 *
 * @throws `model_not_found` when the named one is not registered, or there is none at all; `capability_missing` when the
 * named one, or each of them, lacks something.
 */
export function chooseModel(request: ModelRequest, sources: ModelSources): ModelChoice {
  const skipped: SkippedModel[] = [];
  for (const candidate of candidates(request, sources)) {
    const objection = objectionTo(candidate, request);
    if (objection === undefined) return chosen(candidate, skipped);
    skipped.push(objection);
    if (candidate.rung === "override") break;
  }
  throw noneLeft(request, sources, skipped);
}

function* candidates(request: ModelRequest, sources: ModelSources): Generator<Candidate, void, undefined> {
  const { registry, agent, previous, fallbacks = [] } = sources;
  if (request.model !== undefined) yield registered("override", request.model, registry);
  if (request.reuseModel === true && previous !== undefined) yield again(previous, sources);
  for (const hint of request.hints ?? []) yield registered("hint", hint, registry);
  if (agent !== undefined) yield labelled("agent", agent);
  if (registry?.defaultName !== undefined) yield registered("registry", registry.defaultName, registry);
  for (const one of fallbacks) yield labelled("fallback", one);
}

function labelled(rung: ModelRung, { model, name }: NamedModel): Candidate {
  return { rung, label: name ?? model.id, model, name };
}

function registered(rung: ModelRung, label: string, registry: ModelRegistry | undefined): Candidate {
  if (registry?.has(label) !== true) return { rung, label };
  const { name, model } = registry.model(label);
  // A registry of somebody else's may know a name, and have nothing for it.
  return isModel(model) ? { rung, label, name, model } : { rung, label };
}

/** The model of a record, if it is still at hand: by its name in the registry, else by its id. */
function again({ id, name }: ResolvedModel, { registry, agent, fallbacks = [] }: ModelSources): Candidate {
  if (name !== undefined && registry?.has(name) === true) return registered("reuse", name, registry);
  const found = [...(agent === undefined ? [] : [agent]), ...fallbacks].find(({ model }) => model.id === id);
  return found === undefined ? { rung: "reuse", label: name ?? id } : labelled("reuse", found);
}

function objectionTo({ rung, label, model }: Candidate, request: ModelRequest): SkippedModel | undefined {
  if (model === undefined) return { rung, model: label, reason: "not_registered" };
  if (model.profile.lifecycle === "retired") return { rung, model: label, reason: "retired" };
  const capabilities = [
    ...lackingCapabilities(model.profile, request),
    ...lackingMedia(model.profile, request.messages),
  ];
  return capabilities.length === 0 ? undefined : { rung, model: label, reason: "capability_missing", capabilities };
}

function chosen({ rung, model, name }: Candidate, skipped: readonly SkippedModel[]): ModelChoice {
  const found = model as ChatModel;
  const identity = resolvedModel(found);
  return { model: found, skipped, resolved: { ...identity, ...(name === undefined ? {} : { name }), chosenBy: rung } };
}

function noneLeft(
  request: ModelRequest,
  { registry }: ModelSources,
  skipped: readonly SkippedModel[],
): TinyAgentsError<"model_not_found"> | TinyAgentsError<"capability_missing"> {
  const lacking = skipped.filter(({ reason }) => reason === "capability_missing");
  if (lacking.length === 0) return notFound(request, registry, skipped);
  const said = lacking.map(({ model, capabilities = [] }) => `${model}: ${capabilities.join(", ")}`);
  return new TinyAgentsError(
    "capability_missing",
    `No model has what this call needs (${said.join("; ")}). Name another model, or do without.`,
    {
      details: {
        model: lacking.map(({ model }) => model).join(", "),
        capabilities: [...new Set(lacking.flatMap(({ capabilities = [] }) => capabilities))],
      },
    },
  );
}

function notFound(
  { model }: ModelRequest,
  registry: ModelRegistry | undefined,
  skipped: readonly SkippedModel[],
): TinyAgentsError<"model_not_found"> {
  const retired = skipped.find(({ reason }) => reason === "retired")?.model;
  if (retired === undefined) return modelNotFound(model ?? skipped[0]?.model, registry?.names ?? []);
  return new TinyAgentsError("model_not_found", `The model "${retired}" is retired. Name another one.`, {
    details: { model: retired, available: registry?.names ?? [] },
  });
}
