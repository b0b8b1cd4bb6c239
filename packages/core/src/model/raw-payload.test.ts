import { describe, expect, test } from "vitest";
import type { ChatModel, ModelCallContext } from "./chat-model.js";
import { collect } from "./collect.js";
import { type PayloadWatcher, tellPayload, withPayloads } from "./raw-payload.js";

const REQUEST = { type: "request", body: { a: 1 } } as const;

function model(seen: ModelCallContext[] = []): ChatModel {
  return {
    id: "acme/m",
    profile: { provider: "acme", model: "m", capabilities: {}, lifecycle: "active", source: "unknown" },
    ownsRetry: true,
    async *stream(_request, call) {
      seen.push(call);
      tellPayload(call, REQUEST);
      tellPayload(call, { type: "frame", body: "f" });
      yield { type: "finish", finishReason: "stop" };
    },
  };
}

function ask(asked: ChatModel, call: Partial<ModelCallContext> = {}) {
  const stream = asked.stream({ messages: [] }, { signal: undefined, delivery: "whole", ...call });
  return collect(stream, { id: "acme/m", provider: "acme", model: "m" });
}

describe("what goes over the wire of a call (PRV-06)", () => {
  test("is told to whoever asks, with the call that it is of", async () => {
    const told: unknown[] = [];
    await ask(
      withPayloads(model(), (payload, { callId }) => told.push([payload, callId])),
      { callId: "r/m1" },
    );
    expect(told).toEqual([
      [REQUEST, "r/m1"],
      [{ type: "frame", body: "f" }, "r/m1"],
    ]);
  });

  test("is told to every watcher", async () => {
    const told: string[] = [];
    const twice = withPayloads(
      withPayloads(model(), ({ type }) => told.push(`inner ${type}`)),
      ({ type }) => told.push(`outer ${type}`),
    );
    await ask(twice, { onPayload: ({ type }) => told.push(`call ${type}`) });
    expect(told.slice(0, 3)).toEqual(["call request", "outer request", "inner request"]);
  });

  test.each<[string, PayloadWatcher]>([
    [
      "throws",
      () => {
        throw new Error("the disk is full");
      },
    ],
    ["rejects", (async () => Promise.reject(new Error("the disk is full"))) as PayloadWatcher],
  ])("does not hang on a watcher that %s", async (_, watch) => {
    expect((await ask(withPayloads(model(), watch))).finishReason).toBe("stop");
  });

  test("leaves the model what it is, and its signal to be made when it is read", async () => {
    const seen: ModelCallContext[] = [];
    const watched = withPayloads(model(seen), () => {});
    expect(watched).toMatchObject({ id: "acme/m", ownsRetry: true, profile: model().profile });
    let reads = 0;
    const { signal } = new AbortController();
    const call = {
      delivery: "whole" as const,
      runId: "r",
      get signal() {
        reads++;
        return signal;
      },
    };
    await collect(watched.stream({ messages: [] }, call), { id: "", provider: "", model: "" });
    expect(reads).toBe(0);
    expect(seen[0]).toMatchObject({ runId: "r", delivery: "whole" });
    expect(seen[0]?.signal).toBe(signal);
  });
});
