import {
  type AnyTool,
  type Approver,
  type ArgumentIssue,
  type Clock,
  type ComposedMiddleware,
  compose,
  type EventSink,
  fanOut,
  type IdSource,
  type JsonObject,
  type NoProgressPolicy,
  noProgressThresholds,
  type PriceSource,
  type RandomSource,
  type ResolvedLimits,
  type ResponseFormat,
  type RetryPolicy,
  type RunPolicy,
  type RunSurroundings,
  randomIds,
  resolveLimits,
  type SchemaValidator,
  type ShortTermMemory,
  systemClock,
  systemRandom,
  type TokenCounter,
  type ToolDeclaration,
  type ToolSpec,
  toolDeclaration,
  toolsByName,
} from "@tinyagents/core";
import { checkOptions } from "./check-options.js";
import { type AgentModels, agentModels } from "./models/agent-models.js";
import type { AgentOptions, ModelSettings, OutputSchema, SystemPrompt } from "./options.js";
import { type OutputPlan, planOutput } from "./output/plan.js";
import { overrideLimits } from "./run/new-run.js";
import { textCallModel } from "./text-calls/text-call-model.js";
import { textToolsOf } from "./text-calls/text-tools.js";
import { checkUnknownTool } from "./tools/unknown-tool.js";

/** An agent, worked out once: nothing of it is computed again per run, per step or per call. */
export interface AgentDefinition extends Pick<RunSurroundings, "events" | "stores" | "recorder"> {
  readonly name: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: RandomSource;
  readonly models: AgentModels;
  readonly tools: ReadonlyMap<string, AnyTool>;
  /** What there is to know of `tools`, in their order. */
  readonly toolSpecs: readonly ToolSpec[];
  /** Everything of a request but its messages: with tools, and for a last answer without. */
  readonly request: RequestTemplate;
  readonly lastRequest: RequestTemplate;
  readonly system: SystemPrompt | undefined;
  readonly hooks: ComposedMiddleware;
  /** Whether hooks look at fragments: then models give fragments, also where nobody else watches. */
  readonly hooksDeltas: boolean;
  readonly memory: ShortTermMemory | undefined;
  readonly output: OutputPlan | undefined;
  readonly limits: ResolvedLimits;
  readonly retry: RetryPolicy;
  readonly policies: RunPolicy;
  readonly noProgress: Required<NoProgressPolicy> | undefined;
  readonly approver: Approver | undefined;
  /** `events`, made safe: what it throws is its own concern. One for all runs that only it listens to. */
  readonly sink: EventSink;
  readonly prices: PriceSource | undefined;
  readonly schemaValidator: SchemaValidator | undefined;
  readonly countTokens: TokenCounter | undefined;
  /** Functions that check values, by schema: compiled once. */
  readonly compiled: WeakMap<JsonObject, (value: unknown) => readonly ArgumentIssue[]>;
}

/** The parts of a request that are the same for every call of an agent. */
type RequestTemplate = ModelSettings & {
  readonly tools?: readonly ToolDeclaration[];
  readonly responseFormat?: ResponseFormat;
};

/**
 * Works an agent out.
 * @throws TypeError and `tool_schema_invalid` for options that cannot be.
 */
export function defineAgent(options: AgentOptions<OutputSchema | undefined>): AgentDefinition {
  checkOptions(options);
  const { name, tools = [], middleware = [], policies = {}, settings = {}, memory } = options;
  const byName = toolsByName(tools);
  const plain = agentModels(options, (one) => one);
  const { profile } = plain.usual.model;
  const output = options.output === undefined ? undefined : planOutput(options.output, profile, byName);
  const toolSpecs = Object.freeze(tools.map(({ spec }) => spec));
  const declarations = toolSpecs.map(toolDeclaration);
  if (policies.unknownTool !== undefined) checkUnknownTool(policies.unknownTool, byName, "createAgent: policies");
  const textTools = textToolsOf(toolSpecs);
  const onlyText = toolSpecs.length === textTools?.size && output?.tool === undefined;
  const models =
    textTools === undefined ? plain : agentModels(options, (one) => textCallModel(one, textTools, onlyText));
  return {
    name,
    models,
    tools: byName,
    toolSpecs,
    request: requestTemplate(settings, declarations, output),
    lastRequest: lastRequestTemplate(settings, declarations, output),
    system: options.system,
    hooks: compose(middleware),
    hooksDeltas: middleware.some(({ onModelDelta }) => onModelDelta !== undefined),
    memory,
    output,
    limits: overrideLimits(resolveLimits(policies.limits), options.limits ?? {}),
    retry: policies.retry ?? {},
    policies,
    noProgress: noProgressOf(policies),
    approver: options.approver,
    events: options.events,
    sink: fanOut(options.events === undefined ? [] : [options.events]),
    prices: options.prices,
    schemaValidator: options.schemaValidator,
    countTokens: options.countTokens,
    compiled: new WeakMap(),
    clock: options.clock ?? systemClock,
    ids: options.ids ?? randomIds(),
    random: options.random ?? systemRandom,
    stores: options.stores,
    recorder: options.recorder,
  };
}

function requestTemplate(
  settings: ModelSettings,
  tools: readonly ToolDeclaration[],
  output: OutputPlan | undefined,
): RequestTemplate {
  const offered = output?.tool === undefined ? tools : [...tools, output.tool];
  return {
    ...settings,
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(output?.toolChoice === undefined ? {} : { toolChoice: tools.length === 0 ? output.toolChoice : "required" }),
    ...(output?.responseFormat === undefined ? {} : { responseFormat: output.responseFormat }),
  };
}

/** The last answer may not call tools; a forced answer tool stays, since it is the answer. */
function lastRequestTemplate(
  settings: ModelSettings,
  tools: readonly ToolDeclaration[],
  output: OutputPlan | undefined,
): RequestTemplate {
  if (output?.tool !== undefined) {
    return {
      ...settings,
      tools: [output.tool],
      ...(output.toolChoice === undefined ? {} : { toolChoice: output.toolChoice }),
    };
  }
  return {
    ...settings,
    ...(tools.length === 0 ? {} : { tools, toolChoice: "none" as const }),
    ...(output?.responseFormat === undefined ? {} : { responseFormat: output.responseFormat }),
  };
}

/** The thresholds of a policy; nothing when it is turned off. */
export function noProgressOf({ noProgress }: RunPolicy): Required<NoProgressPolicy> | undefined {
  return noProgress === false ? undefined : noProgressThresholds(noProgress ?? {});
}
