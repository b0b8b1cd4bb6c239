import {
  type AnyTool,
  type ArtifactReference,
  type Clock,
  emptyUsage,
  type JsonValue,
  manualClock,
  type RunContext,
  resolveLimits,
  type StoreRegistry,
  sequentialIds,
  storeRegistry,
  type ToolRuntime,
} from "@tinyagents/core";
import { seededRandom } from "./seeded-random.js";

/** What a tool under test is given. */
export interface TestRuntimeOptions {
  /** The application's own data. */
  readonly data?: unknown;
  /** Default: one that never aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Default `call_1`. */
  readonly callId?: string | undefined;
  /** Default 1. */
  readonly attempt?: number | undefined;
  readonly resumed?: ToolRuntime["resumed"];
  /** Default: one that has no stores. */
  readonly stores?: StoreRegistry | undefined;
  /** Default: a manual clock. */
  readonly clock?: Clock | undefined;
}

/** A runtime that remembers what the tool did with it. */
export interface TestRuntime extends ToolRuntime {
  /** What the tool reported, in order. */
  readonly progressed: readonly JsonValue[];
  /** What it saved, in order. */
  readonly artifacts: readonly Parameters<ToolRuntime["saveArtifact"]>[0][];
  /** What it emitted through its run, in order. */
  readonly emitted: readonly { readonly name: string; readonly payload: JsonValue }[];
}

/** The runtime of a call, to execute a tool without an agent: `tool.execute(input, testRuntime(tool))`. */
export function testRuntime({ spec }: AnyTool, options: TestRuntimeOptions = {}): TestRuntime {
  const { data, callId = "call_1", attempt = 1, resumed, clock = manualClock(), stores = storeRegistry({}) } = options;
  const signal = options.signal ?? new AbortController().signal;
  const progressed: JsonValue[] = [];
  const artifacts: Parameters<ToolRuntime["saveArtifact"]>[0][] = [];
  const emitted: { readonly name: string; readonly payload: JsonValue }[] = [];
  const run: RunContext = {
    config: {
      runId: "run-1",
      rootRunId: "run-1",
      depth: 0,
      tags: [],
      metadata: {},
      configurable: {},
      limits: resolveLimits(),
    },
    data,
    clock,
    ids: sequentialIds(),
    random: seededRandom(1),
    stores,
    events: undefined,
    recorder: undefined,
    signal,
    policies: {},
    prices: undefined,
    usage: emptyUsage(),
    treeUsage: emptyUsage(),
    cost: undefined,
    remainingLimits: resolveLimits,
    emit: (name, payload) => void emitted.push({ name, payload }),
  };
  return {
    callId,
    idempotencyKey: `run-1/${callId}`,
    attempt,
    spec,
    signal,
    data,
    run,
    resumed,
    progressed,
    artifacts,
    emitted,
    progress: (delta) => void progressed.push(delta),
    async saveArtifact(artifact) {
      artifacts.push(artifact);
      return referenceTo(artifact, artifacts.length);
    },
  };
}

function referenceTo(
  { data, mediaType, name }: Parameters<ToolRuntime["saveArtifact"]>[0],
  number: number,
): ArtifactReference {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data).length : data.length;
  return { key: [`artifact-${number}`], mediaType, bytes, ...(name === undefined ? {} : { name }) };
}
