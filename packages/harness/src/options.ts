import type {
  AgentInput,
  AnyTool,
  Approver,
  ArgumentIssue,
  Block,
  ChatModel,
  JsonSchema,
  Limits,
  Middleware,
  ModelRegistry,
  ModelRequest,
  PriceSource,
  RunConfig,
  RunPolicy,
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

/** What says of a structured answer what it is. */
export type OutputSchema = StandardSchema | JsonSchema;

/** How a structured answer is had. */
export interface OutputSpec<S extends OutputSchema | undefined> {
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
export type OutputOf<S> = [S] extends [undefined] ? undefined : SchemaOutput<S>;

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
  | "hints"
  | "reuseModel"
  | "toolChoice"
>;

/** What an agent is made of. */
export interface AgentOptions<S extends OutputSchema | undefined = undefined> extends Omit<RunSurroundings, "data"> {
  /** Stands in events and state. */
  readonly name: string;
  /** A model, or the name of one in `models`. Default: the default of `models`; without both there is no agent. */
  readonly model?: ChatModel | string | undefined;
  /** Models by name, for whoever names one: these options, settings, a run's options, and middleware in a request. */
  readonly models?: ModelRegistry | undefined;
  /** Models to turn to, in order, when the first fails and its retries too, or cannot do what is needed. */
  readonly fallbacks?: readonly (ChatModel | string)[] | undefined;
  readonly tools?: readonly AnyTool[] | undefined;
  readonly system?: SystemPrompt | undefined;
  readonly middleware?: readonly Middleware[] | undefined;
  /** Where threads are remembered. Used by runs that have a `threadId`. */
  readonly memory?: ShortTermMemory | undefined;
  /** A structured answer: a schema, or a schema with a way to get it. */
  readonly output?: S | OutputSpec<S> | undefined;
  /** These stand before `policies.limits`, one by one. */
  readonly limits?: Limits | undefined;
  readonly policies?: RunPolicy | undefined;
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
