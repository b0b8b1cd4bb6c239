import type { ChatModel, ModelDelta } from "@tinyagents/core";
import { scriptedModel } from "@tinyagents/testkit";

/** A model that gives whatever it is told to, one list per call, whether or not that is what a model may give. */
export function rawModel(calls: readonly (readonly unknown[])[], id = "test/raw"): ChatModel {
  let made = 0;
  return {
    id,
    profile: { ...scriptedModel([]).profile, provider: "test", model: "raw" },
    async *stream() {
      for (const delta of calls[made++] ?? []) {
        if (delta instanceof Error) throw delta;
        yield delta as ModelDelta;
      }
    },
  };
}

/** A model whose `stream` gives something else than a stream. */
export function streamlessModel(stream: unknown): ChatModel {
  return { ...rawModel([]), stream: () => stream as AsyncIterable<ModelDelta> };
}
