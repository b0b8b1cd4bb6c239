import type { AgentRun, JsonObject, ToolMessage } from "@tinyagents/core";
import { type AgentOptions, createAgent, type OutputOf, type OutputSchema, type RunOptions } from "@tinyagents/harness";
import {
  type EventRecorder,
  type ScriptEntry,
  type ScriptedModel,
  type ScriptedToolCall,
  scriptedModel,
  type TestModelOptions,
  testSurroundings,
} from "@tinyagents/testkit";

/** An agent on a scripted model, with everything that watches it. */
export interface ScriptedAgent<O extends OutputSchema | undefined> {
  readonly agent: ReturnType<typeof createAgent<O>>;
  readonly model: ScriptedModel;
  readonly events: EventRecorder;
  readonly clock: ReturnType<typeof testSurroundings>["clock"];
  run(input?: string, options?: RunOptions): Promise<AgentRun<OutputOf<O>>>;
}

export type ScriptedAgentOptions<O extends OutputSchema | undefined> = Partial<Omit<AgentOptions<O>, "model">> & {
  readonly script: readonly ScriptEntry[];
  readonly modelOptions?: TestModelOptions;
};

/** An agent whose model plays `script`; everything that it takes from outside is made for tests. */
export function scriptedAgent<const O extends OutputSchema | undefined = undefined>(
  options: ScriptedAgentOptions<O>,
): ScriptedAgent<O> {
  const { script, modelOptions, ...rest } = options;
  const model = scriptedModel(script, modelOptions);
  const { clock, ids, random, events } = testSurroundings();
  const agent = createAgent<O>({ name: "tester", clock, ids, random, events, ...rest, model } as AgentOptions<O>);
  return { agent, model, events, clock, run: (input = "Go.", runOptions) => agent.invoke(input, runOptions) };
}

/** An answer that asks for calls, each with an id of its own: `a`, `b`, `c`, ... */
export function calls(...wanted: readonly (ScriptedToolCall | string)[]): { readonly toolCalls: ScriptedToolCall[] } {
  return {
    toolCalls: wanted.map((call, index) => ({
      id: String.fromCharCode(97 + index),
      ...(typeof call === "string" ? { name: call } : call),
    })),
  };
}

/** A call with arguments. */
export function call(name: string, args: JsonObject = {}, id?: string): ScriptedToolCall {
  return id === undefined ? { name, args } : { id, name, args };
}

/** The tool messages of a run, in order. */
export function resultsOf(run: Pick<AgentRun<unknown>, "messages">): readonly ToolMessage[] {
  return run.messages.filter((message) => message.role === "tool");
}

/** What a state is after it was stored and read again. */
export function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
