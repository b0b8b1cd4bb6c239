import {
  type Clock,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type SchemaOutput,
  type StandardSchema,
  type Tool,
  type ToolOptions,
  type ToolPolicy,
  type ToolRuntime,
  tool,
} from "@tinyagents/core";
import { arrivals } from "./arrivals.js";
import { hold } from "./wait.js";

/** One execution of a fake tool. */
export interface RecordedToolCall<Input = JsonObject> {
  readonly input: Input;
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
  readonly resumed: ToolRuntime["resumed"];
}

/** A tool that remembers how it was called. */
export interface FakeTool<Input = JsonObject> extends Tool<Input, Promise<unknown>> {
  /** In the order in which executions began. */
  readonly calls: readonly RecordedToolCall<Input>[];
  /** Resolves when the `count`-th execution (default the first) has begun. */
  called(count?: number): Promise<void>;
  /**
   * @throws Error when `results` and executions are not equal in number: what a tool throws reaches the model alone.
   * Without `results` there is nothing to compare.
   */
  assertDone(): void;
}

/** What every fake tool can be given. Without more it takes any object and is declared to change nothing. */
export interface FakeToolBase<S extends StandardSchema | JsonSchema = JsonSchema>
  extends Partial<Omit<ToolOptions<S, unknown>, "name" | "execute" | "policy">> {
  readonly name: string;
  /** Default: `effect: "none"`, so calls may overlap. */
  readonly policy?: ToolPolicy | ((args: JsonObject) => ToolPolicy) | undefined;
}

/** What a fake tool answers: at most one of `result`, `results` and `execute`; without any of them the text `ok`. */
export interface FakeToolOptions<S extends StandardSchema | JsonSchema = JsonSchema> extends FakeToolBase<S> {
  /** The same each time. An `Error` is thrown. */
  readonly result?: unknown;
  /** One for each execution, in order. An `Error` is thrown, and so is one that says that no result is left. */
  readonly results?: readonly unknown[] | undefined;
  readonly execute?: ((input: SchemaOutput<S>, runtime: ToolRuntime) => unknown) | undefined;
  /** Every execution waits for this before it answers. */
  readonly gate?: PromiseLike<unknown> | undefined;
  /** Every execution waits this long before it answers, ms of `clock`. Default: none. */
  readonly delayMs?: number | undefined;
  /** Needed for a delay. */
  readonly clock?: Clock | undefined;
}

/**
 * A tool that records its executions and answers what the test says.
 * @throws TypeError when more than one of `result`, `results` and `execute` is given.
 */
export function fakeTool<S extends StandardSchema | JsonSchema = JsonSchema>(
  options: FakeToolOptions<S>,
): FakeTool<SchemaOutput<S>> {
  const { gate, delayMs, clock } = options;
  const answer = answerOf(options);
  const work = async (input: SchemaOutput<S>, runtime: ToolRuntime): Promise<unknown> => {
    if (gate !== undefined || delayMs !== undefined) await hold({ gate, delayMs }, clock, runtime.signal);
    return answer(input, runtime);
  };
  return recordedTool(options, work, options.results?.length);
}

/** A tool that fails at first. */
export interface FlakyToolOptions<S extends StandardSchema | JsonSchema = JsonSchema> extends FakeToolBase<S> {
  /** How many executions fail. Default 1. */
  readonly failures?: number | undefined;
  /** What they throw. Default: an `Error` that counts. */
  readonly error?: Error | undefined;
  /** What the later ones return. Default `ok`. */
  readonly result?: JsonValue | undefined;
}

/** A tool whose first executions fail, and whose later ones succeed. */
export function flakyTool<S extends StandardSchema | JsonSchema = JsonSchema>(
  options: FlakyToolOptions<S>,
): FakeTool<SchemaOutput<S>> {
  const { failures = 1, error, result = "ok" } = options;
  let executions = 0;
  return recordedTool(options, async () => {
    executions++;
    if (executions <= failures) throw error ?? new Error(`failure ${executions} of ${failures}`);
    return result;
  });
}

/** A tool around `work` that notes each execution first. */
export function recordedTool<S extends StandardSchema | JsonSchema>(
  options: FakeToolBase<S>,
  work: (input: SchemaOutput<S>, runtime: ToolRuntime) => Promise<unknown>,
  expectedCalls?: number,
): FakeTool<SchemaOutput<S>> {
  const calls: RecordedToolCall<SchemaOutput<S>>[] = [];
  const begun = arrivals();
  const { description = `The fake tool ${options.name}.`, input = ANY_OBJECT as S, policy = HARMLESS } = options;
  const inner = tool<S, Promise<unknown>>({
    ...options,
    description,
    input,
    policy,
    execute(args, runtime) {
      const { callId, idempotencyKey, attempt, resumed } = runtime;
      calls.push({ input: args, callId, idempotencyKey, attempt, resumed });
      begun.note();
      return work(args, runtime);
    },
  });
  return {
    ...inner,
    calls,
    called: (count = 1) => begun.reached(count),
    assertDone() {
      if (expectedCalls === undefined || calls.length === expectedCalls) return;
      throw new Error(resultsMessage(options.name, expectedCalls, calls.length));
    },
  };
}

function resultsMessage(name: string, results: number, executions: number): string {
  return `The fake tool ${name} has ${results} results, and was executed ${executions} times.`;
}

const ANY_OBJECT: JsonSchema = { type: "object" };
const HARMLESS: ToolPolicy = { effect: "none" };

function answerOf<S extends StandardSchema | JsonSchema>(
  options: FakeToolOptions<S>,
): (input: SchemaOutput<S>, runtime: ToolRuntime) => unknown {
  const given = (["result", "results", "execute"] as const).filter((field) => options[field] !== undefined);
  if (given.length > 1) throw new TypeError(`fakeTool ${options.name}: "${given.join('" and "')}" exclude each other`);
  const { name, result = "ok", results, execute } = options;
  if (execute !== undefined) return execute;
  if (results === undefined) return () => orThrow(result);
  let at = 0;
  return () => {
    const index = at++;
    if (index >= results.length) throw new Error(resultsMessage(name, results.length, at));
    return orThrow(results[index]);
  };
}

function orThrow(result: unknown): unknown {
  if (result instanceof Error) throw result;
  return result;
}
