import { TinyAgentsError } from "../errors.js";
import type { ChatModel } from "./chat-model.js";

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
 * @throws TypeError for a default, an alias or a route to a model that is not there, and for a name that is used twice.
 */
export function modelRegistry({
  models,
  default: byDefault,
  aliases = {},
  routes = {},
}: ModelRegistryOptions): ModelRegistry {
  const registered = new Map(Object.entries(models).map(([name, model]) => [name, { name, model }] as const));
  const names = [...registered.keys()];
  const target = (name: string, what: string): RegisteredModel => {
    const found = registered.get(name);
    if (found === undefined || !names.includes(name)) {
      throw new TypeError(`modelRegistry: ${what}: there is no model "${name}"`);
    }
    return found;
  };
  if (byDefault !== undefined) target(byDefault, "default");
  for (const [kind, also] of [
    ["aliases", aliases],
    ["routes", routes],
  ] as const) {
    for (const [name, of] of Object.entries(also)) {
      if (registered.has(name)) throw new TypeError(`modelRegistry: ${kind}: the name "${name}" is taken`);
      registered.set(name, target(of, `${kind}.${name}`));
    }
  }
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

/** The error of a model that nobody knows; without a name, of nobody having said which. */
export function modelNotFound(
  name: string | undefined,
  available: readonly string[],
): TinyAgentsError<"model_not_found"> {
  const said = name === undefined ? "No model was named, and there is no default." : `There is no model "${name}".`;
  const known = available.length === 0 ? "No model is registered." : `There are: ${available.join(", ")}.`;
  return new TinyAgentsError("model_not_found", `${said} ${known}`, { details: { model: name ?? "", available } });
}
