import { TinyAgentsError } from "../errors.js";
import { type ChatModel, isModel } from "./chat-model.js";

/** A model under the name that an application gave it. */
export interface RegisteredModel {
  readonly name: string;
  readonly model: ChatModel;
}

/** Models by name. Settings, requests and stored states name a model; what it is stays the application's matter. */
export interface ModelRegistry {
  /** Names of models, aliases and routes left out, in the order of registration. */
  readonly names: readonly string[];
  /** The model to take where nothing is said. */
  readonly defaultName: string | undefined;
  /** Whether a model, an alias or a route has this name. */
  has(name: string): boolean;
  /**
   * The model of a name, an alias or a route; the default without one.
   * @throws `model_not_found` that lists the names there are.
   */
  model(name?: string): RegisteredModel;
}

/** What a registry is made of. Names of all kinds are different. */
export interface ModelRegistryOptions {
  readonly models: { readonly [name: string]: ChatModel };
  /** The name of a model. */
  readonly default?: string | undefined;
  /** Other names of models, as the strings that an application's settings have had so far. */
  readonly aliases?: { readonly [alias: string]: string } | undefined;
  /** Kinds of work, each with its model: `reasoning`, `coding`, `background`. */
  readonly routes?: { readonly [route: string]: string } | undefined;
}

/**
 * A registry of the models that are given.
 * @throws TypeError for what is no model, an empty name, a default, an alias or a route to a model that is not there, and
 * a name that is used twice.
 */
export function modelRegistry({
  models,
  default: byDefault,
  aliases = {},
  routes = {},
}: ModelRegistryOptions): ModelRegistry {
  const own = new Map<string, RegisteredModel>();
  for (const [name, model] of Object.entries(models)) {
    checkEntry(name, model);
    own.set(name, { name, model });
  }
  const target = (name: string, what: string): RegisteredModel => {
    const found = own.get(name);
    if (found === undefined) throw new TypeError(`modelRegistry: ${what}: there is no model "${name}"`);
    return found;
  };
  if (byDefault !== undefined) target(byDefault, "default");
  const registered = new Map(own);
  for (const [kind, also] of Object.entries({ aliases, routes })) {
    for (const [name, of] of Object.entries(also)) {
      if (name === "") throw new TypeError(`modelRegistry: ${kind}: a name is empty`);
      if (registered.has(name)) throw new TypeError(`modelRegistry: ${kind}: the name "${name}" is taken`);
      registered.set(name, target(of, `${kind}.${name}`));
    }
  }
  const names = [...own.keys()];
  return {
    names,
    defaultName: byDefault,
    has: (name) => registered.has(name),
    model(name = byDefault) {
      const found = name === undefined ? undefined : registered.get(name);
      if (found === undefined) throw modelNotFound(name, [...registered.keys()]);
      return found;
    },
  };
}

/** A registry is often made of settings: what is wrong in it should be told before a run needs it. */
function checkEntry(name: string, model: unknown): void {
  if (name === "") throw new TypeError("modelRegistry: models: a name is empty");
  if (!isModel(model)) throw new TypeError(`modelRegistry: models.${name}: a ChatModel is expected`);
}

/** The error of a model that nobody knows; without a name, of nobody having said which. */
export function modelNotFound(
  name: string | undefined,
  available: readonly string[],
): TinyAgentsError<"model_not_found"> {
  const said = name === undefined ? "No model was named, and there is no default." : `There is no model "${name}".`;
  const known = available.length === 0 ? "No model is registered." : `There are: ${available.join(", ")}.`;
  return new TinyAgentsError("model_not_found", `${said} ${known}`, { details: { model: name ?? "", available } });
}
