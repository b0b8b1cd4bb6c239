import { type ChatModel, type ModelDelta, onAbort, type TinyAgentsError, throwIfAborted } from "@tinyagents/core";

/** What a model does next: it says something, fails, or waits until it is stopped. */
export type PlayedStep = ModelDelta | TinyAgentsError | "wait";

/** A model that does as it is told, and can be watched. */
export interface PlayedModel extends ChatModel {
  /** How many calls were begun. */
  readonly begun: number;
  /** How many of them are not over. */
  readonly open: number;
}

/** Plays one list of steps per call, in order. */
export function playedModel(...turns: readonly (readonly PlayedStep[])[]): PlayedModel {
  let begun = 0;
  let open = 0;
  return {
    id: "played/played",
    profile: {
      provider: "played",
      model: "played",
      capabilities: { tools: "yes", parallel_tool_calls: "yes", streaming: "yes", system_messages: "yes" },
      lifecycle: "active",
      source: "local",
    },
    // Restarts are part of what it plays.
    ownsRetry: true,
    get begun() {
      return begun;
    },
    get open() {
      return open;
    },
    async *stream(_request, { signal }) {
      const steps = turns[begun];
      begun += 1;
      if (steps === undefined) throw new TypeError(`the model was asked ${begun} times; ${turns.length} are expected`);
      open += 1;
      try {
        for (const step of steps) {
          if (step === "wait") await stopped(signal);
          else if (step instanceof Error) throw step;
          else yield step;
        }
      } finally {
        open -= 1;
      }
    },
  };
}

async function stopped(signal: AbortSignal | undefined): Promise<void> {
  let unlink = (): void => undefined;
  await new Promise<void>((resolve) => {
    unlink = onAbort(signal, resolve);
  }).finally(() => unlink());
  throwIfAborted(signal);
}
