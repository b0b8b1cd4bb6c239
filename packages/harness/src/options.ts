import type {
  AgentInput,
  AnyTool,
  Approver,
  ArgumentIssue,
  Block,
  ChatModel,
  FallbackPolicy,
  JsonSchema,
  Limits,
  Middleware,
  ModelRequest,
  PriceSource,
  RetryPolicy,
  RunConfig,
  RunSurroundings,
  SchemaOutput,
  SchemaValidator,
  ShortTermMemory,
  StandardSchema,
  StartOptions,
  StreamMode,
  TokenCounter,
} from "@tinyagents/core";

/** Instructions: a text, or a function of the run that is asked once when a run starts. */
export type SystemPrompt = string | readonly Block[] | ((run: SystemPromptContext) => string | readonly Block[]);

/** What instructions may depend on. */
export interface SystemPromptContext {
  readonly config: RunConfig;
  /** Milliseconds since 1970, by the run's clock. */
  readonly nowMs: number;
}

/**
 * What to do about a call for a tool that is not offered. `return_error`: tell the model which tools there are.
 * `fail`: end the run with `tool_not_found`. `rewrite`: run another tool in its place.
 */
export type UnknownToolPolicy =
  | { readonly type: "return_error"; readonly message?: string }
  | { readonly type: "fail" }
  | { readonly type: "rewrite"; readonly tool: string };

/** What to do about arguments that do not fit. `return_error`: tell the model what is wrong. `fail`: end the run. */
export type InvalidArgumentsPolicy = { readonly type: "return_error" } | { readonly type: "fail" };

/**
 * How a run that repeats itself is dealt with. A batch of calls counts as repeated when an earlier one, not far back,
 * had the same calls with the same results.
 */
export interface NoProgressPolicy {
  /** After so many repeats the model is told. Default 2. */
  readonly hintAfter?: number;
  /** After so many the calls are no longer run. Default 4. */
  readonly refuseAfter?: number;
  /** After so many the run ends with `no_progress`. Default 6. */
  readonly stopAfter?: number;
}

/** How a run decides. All of it is data. */
export interface AgentPolicies {
  readonly retry?: RetryPolicy | undefined;
  /** When to turn to the next of `fallbacks`. */
  readonly fallback?: FallbackPolicy | undefined;
  readonly unknownTool?: UnknownToolPolicy | undefined;
  readonly invalidArguments?: InvalidArgumentsPolicy | undefined;
  /** `false` turns it off. */
  readonly noProgress?: NoProgressPolicy | false | undefined;
  /** `finalize`: when a limit is hit, ask once more without tools, and end with that answer. Default `fail`. */
  readonly onLimit?: "fail" | "finalize" | undefined;
  /** Refuse tools that do not say what they do. Default: no. */
  readonly strictTools?: boolean | undefined;
  /** How long a cancelled run waits for what it has under way, ms. Default 2,000. */
  readonly cancelGraceMs?: number | undefined;
}

/** A structured answer: a schema, or a schema with a way to get it. */
export type OutputOption = StandardSchema | JsonSchema | OutputSpec<StandardSchema | JsonSchema>;

/** How a structured answer is had. */
export interface OutputSpec<S extends StandardSchema | JsonSchema> {
  readonly schema: S;
  /** The JSON Schema for the model, when `schema` cannot give one. */
  readonly jsonSchema?: JsonSchema | undefined;
  /**
   * `native`: the provider's own mechanism. `tool`: a forced tool call. `prompt`: JSON asked for in words. Default
   * `auto`: the first of these that the model's profile affirms; `prompt` when it affirms none.
   */
  readonly strategy?: "auto" | "native" | "tool" | "prompt" | undefined;
  /** Name for the provider and for the forced tool. Default `final_answer`. */
  readonly name?: string | undefined;
  /**
   * What the model is told of an answer that does not fit. Default: what is wrong, and where. `false`: the run fails
   * at once.
   */
  readonly onInvalid?: false | string | ((issues: readonly ArgumentIssue[]) => string) | undefined;
}

/** The type of a structured answer. `undefined` when none is asked for. */
export type OutputOf<O> = [O] extends [undefined]
  ? undefined
  : O extends { readonly "~standard": unknown }
    ? SchemaOutput<O>
    : O extends OutputSpec<infer S>
      ? SchemaOutput<S>
      : SchemaOutput<O>;

/** Settings of every model call of an agent. */
export type ModelSettings = Pick<
  ModelRequest,
  | "temperature"
  | "topP"
  | "maxOutputTokens"
  | "stopSequences"
  | "seed"
  | "reasoningEffort"
  | "providerOptions"
  | "requires"
  | "toolChoice"
>;

/** What an agent is made of. */
export interface AgentOptions<O extends OutputOption | undefined = undefined> extends Omit<RunSurroundings, "data"> {
  /** Stands in events and state. */
  readonly name: string;
  readonly model: ChatModel;
  /** Models to turn to, in order, when `model` fails and its retries too. */
  readonly fallbacks?: readonly ChatModel[] | undefined;
  readonly tools?: readonly AnyTool[] | undefined;
  readonly system?: SystemPrompt | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  /** Where threads are remembered. Used by runs that have a `threadId`. */
  readonly memory?: ShortTermMemory | undefined;
  readonly output?: O | undefined;
  readonly limits?: Limits | undefined;
  readonly policies?: AgentPolicies | undefined;
  readonly settings?: ModelSettings | undefined;
  /** Decides on calls that need approval. Without one they are denied. */
  readonly approver?: Approver | undefined;
  /** Where prices come from. Without one every call is unpriced. */
  readonly prices?: PriceSource | undefined;
  /** Checks values against JSON Schemas. Default: one that suits the platform, loaded when first needed. */
  readonly schemaValidator?: SchemaValidator | undefined;
  /** Counts tokens for estimates. */
  readonly countTokens?: TokenCounter | undefined;
}

/** What one run is given. */
export interface RunOptions extends StartOptions, RunSurroundings {
  readonly signal?: AbortSignal | undefined;
}

/** What one streamed run is given. */
export interface StreamOptions extends RunOptions {
  /** Which items to get. Default: `messages`, `tools` and `final`. */
  readonly modes?: readonly StreamMode[] | undefined;
}

/** What a run that goes on is given. */
export interface ResumeOptions extends RunSurroundings {
  readonly signal?: AbortSignal | undefined;
  /** Answers to the requests of a paused run, by request id. */
  readonly answers?: { readonly [requestId: string]: unknown } | undefined;
  /** New input: tool calls that still wait for an answer are answered as superseded. */
  readonly input?: AgentInput | undefined;
  /** In place of the run's own, one by one. */
  readonly limits?: Limits | undefined;
}

/** What a streamed run that goes on is given. */
export interface ResumeStreamOptions extends ResumeOptions {
  /** Which items to get. Default: `messages`, `tools` and `final`. */
  readonly modes?: readonly StreamMode[] | undefined;
}
