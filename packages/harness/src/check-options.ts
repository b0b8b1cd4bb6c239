import {
  type AnyTool,
  type ChatModel,
  checkPolicy,
  checkRunPolicy,
  type HookName,
  type Middleware,
} from "@tinyagents/core";
import type { AgentOptions, ModelSettings, OutputSchema } from "./options.js";

type Options = AgentOptions<OutputSchema | undefined>;
type Fields = { readonly [field: string]: unknown };
type Names<T> = { readonly [Name in keyof T]-?: true };

const OPTIONS: Names<Options> = {
  name: true,
  model: true,
  models: true,
  fallbacks: true,
  tools: true,
  system: true,
  middleware: true,
  memory: true,
  output: true,
  limits: true,
  policies: true,
  settings: true,
  approver: true,
  events: true,
  prices: true,
  schemaValidator: true,
  countTokens: true,
  clock: true,
  ids: true,
  random: true,
  stores: true,
  recorder: true,
};

const SETTINGS: Names<ModelSettings> = {
  temperature: true,
  topP: true,
  maxOutputTokens: true,
  stopSequences: true,
  seed: true,
  reasoningEffort: true,
  providerOptions: true,
  requires: true,
  hints: true,
  reuseModel: true,
  toolChoice: true,
};

const HOOKS: Names<Pick<Middleware, HookName>> = {
  beforeAgent: true,
  afterAgent: true,
  beforeModel: true,
  wrapModel: true,
  onModelDelta: true,
  afterModel: true,
  beforeTool: true,
  wrapTool: true,
  onToolDelta: true,
  afterTool: true,
  onError: true,
};

/** What is behaviour, and its methods. */
const METHODS: { readonly [Name in keyof Options]?: readonly [kind: string, ...methods: string[]] } = {
  memory: ["a ShortTermMemory", "load", "save"],
  recorder: ["a RunRecorder", "load", "step", "toolResult"],
  approver: ["an Approver", "decide"],
  events: ["an EventSink (of a function: callbackSink)", "emit"],
  prices: ["a PriceSource", "priceOf"],
  schemaValidator: ["a SchemaValidator", "compile"],
  clock: ["a Clock", "now", "setTimer", "sleep"],
  ids: ["an IdSource", "next"],
  models: ["a ModelRegistry", "has", "model"],
  stores: ["a StoreRegistry", "store", "log", "has"],
};

/**
 * Looks at options as somebody may have written them who has no compiler.
 * @throws TypeError that names the option and what is expected of it.
 */
export function checkOptions(options: Options): void {
  if (typeof options !== "object" || options === null) throw wrong("options", "an object is expected");
  checkNames(options, OPTIONS, "", "option");
  if (typeof options.name !== "string" || options.name === "") throw wrong("name", "a text is expected");
  if (options.model !== undefined || options.models === undefined) checkModel(options.model, "model");
  list(options.fallbacks, "fallbacks").forEach((model, index) => {
    checkModel(model, `fallbacks[${index}]`);
  });
  list(options.tools, "tools").forEach(checkTool);
  list(options.middleware, "middleware").forEach(checkMiddleware);
  for (const [name, [kind, ...methods]] of Object.entries(METHODS)) {
    checkMethods((options as unknown as Fields)[name], name, kind, methods);
  }
  if (options.policies !== undefined) checkRunPolicy(options.policies, "createAgent: policies");
  checkNames(options.settings, SETTINGS, "settings", "setting");
}

function checkNames(values: unknown, names: Names<Fields>, place: string, kind: string): void {
  if (values === undefined) return;
  if (typeof values !== "object" || values === null) throw wrong(place, "an object is expected");
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const at = place === "" ? name : `${place}.${name}`;
    throw wrong(at, `there is no such ${kind}; there are: ${Object.keys(names).join(", ")}`);
  }
}

function checkMethods(value: unknown, name: string, kind: string, methods: readonly string[]): void {
  if (value === undefined) return;
  const missing = methods.filter((method) => typeof (value as Fields | null)?.[method] !== "function");
  if (missing.length === 0) return;
  throw wrong(name, `${kind} is expected, with ${methods.join(", ")}; missing: ${missing.join(", ")}`);
}

/** A name is looked up by whoever has the registry. */
function checkModel(model: ChatModel | string | undefined, name: string): void {
  if (typeof model === "string" && model !== "") return;
  const { id, profile, stream } = (model ?? {}) as Partial<ChatModel>;
  if (typeof stream === "function" && typeof id === "string" && typeof profile === "object" && profile !== null) return;
  throw wrong(name, "a ChatModel is expected, with id, profile, stream");
}

function checkTool(tool: AnyTool, index: number): void {
  const { spec, execute, policyFor, inject } = (tool ?? {}) as Partial<AnyTool>;
  const methods = [execute, policyFor, inject].every((method) => typeof method === "function");
  if (!methods || typeof spec?.name !== "string") {
    throw wrong(`tools[${index}]`, "it is no tool; use tool() or agent.asTool()");
  }
  if (!spec.dynamicPolicy) checkPolicy(spec.policy, spec.name);
}

/** A hook with a wrong name would never be called. Data of a middleware's own is its own affair. */
function checkMiddleware(middleware: Middleware, index: number): void {
  const place = `middleware[${index}]`;
  if (typeof middleware !== "object" || middleware === null) throw wrong(place, "a Middleware is expected");
  const hooks = Object.keys(HOOKS);
  for (const [name, value] of Object.entries(middleware)) {
    if (typeof value !== "function" || Object.hasOwn(HOOKS, name)) continue;
    throw wrong(`${place}.${name}`, `there is no such hook; there are: ${hooks.join(", ")}`);
  }
  for (const hook of hooks) {
    const given = (middleware as unknown as Fields)[hook];
    if (given !== undefined && typeof given !== "function") throw wrong(`${place}.${hook}`, "a function is expected");
  }
}

function list<T>(values: readonly T[] | undefined, name: string): readonly T[] {
  if (values === undefined) return [];
  if (!Array.isArray(values)) throw wrong(name, "a list is expected");
  return values;
}

function wrong(place: string, expected: string): TypeError {
  return new TypeError(`createAgent: ${place}: ${expected}`);
}
