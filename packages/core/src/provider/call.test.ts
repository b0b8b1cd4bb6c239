import { describe, expect, test } from "vitest";
import { model, streamOf, thrownBy, toArray } from "../../test/support.js";
import { messageOf } from "../errors.js";
import type { ModelDelta } from "../model/delta.js";
import type { ModelProfile } from "../model/profile.js";
import { type ProviderModelOptions, providerAnswer, providerModel } from "./call.js";
import type { FailedCall } from "./failure.js";

const TEXT: ModelDelta = { type: "text", index: 0, text: "Hel" };
const END: ModelDelta = { type: "finish", finishReason: "stop" };
const broken = new Error("broken");

const secrets = ["canary-key"];
const profile: ModelProfile = { ...model, capabilities: {}, lifecycle: "active", source: "cloud" };

class Failed extends Error {
  readonly call: FailedCall;

  constructor(error: unknown, call: FailedCall) {
    super(messageOf(error));
    this.call = call;
  }
}

const failed = (error: unknown, call: FailedCall): Error => new Failed(error, call);

function asking(
  ask: ProviderModelOptions["ask"],
  signal?: AbortSignal,
): AsyncIterator<ModelDelta> & AsyncIterable<ModelDelta> {
  const { stream } = providerModel(profile, { secrets, failed, ask });
  return stream({ messages: [] }, { signal, delivery: "incremental" }) as AsyncGenerator<ModelDelta>;
}

describe("a model from how it is asked once", () => {
  test("has the name of its profile", () => {
    const made = providerModel(profile, { secrets, ask: () => streamOf(END) });
    expect([made.id, made.profile]).toEqual(["mock/one", profile]);
  });

  test("says what the provider says, and is told of the call", async () => {
    const onPayload = (): void => {};
    let told: object | undefined;
    const made = providerModel(profile, {
      secrets,
      ask(request, { signal: _, ...call }) {
        told = { request, ...call };
        return streamOf<ModelDelta>(TEXT, END);
      },
    });
    const call = { delivery: "whole", runId: "r", callId: "c", onPayload } as const;
    expect(await toArray(made.stream({ messages: [] }, { signal: undefined, ...call }))).toEqual([TEXT, END]);
    expect(told).toEqual({ request: { messages: [] }, ...call });
  });

  test("is asked with the first step of whoever reads", async () => {
    let asked = 0;
    const stream = asking(() => {
      asked++;
      return streamOf(END);
    });
    expect(asked).toBe(0);
    await stream.next();
    expect(asked).toBe(1);
  });

  test("was cut short where its answer has no finish (PA-11)", async () => {
    const made = providerModel(profile, { secrets, ask: () => streamOf(TEXT, TEXT) });
    const reading = () => toArray(made.stream({ messages: [] }, { signal: undefined, delivery: "whole" }));
    expect(await thrownBy(reading)).toMatchObject({
      code: "network",
      details: { provider: "mock", reason: "stream_cut_short", partialText: "HelHel" },
    });
  });

  test("fails with a typed error, made of what was thrown and how far the answer had come", async () => {
    const stream = asking(async function* () {
      yield TEXT;
      throw broken;
    });
    const call = { provider: "mock", model: "one", secrets, partialText: "Hel" };
    expect(await thrownBy(() => toArray(stream))).toMatchObject({ message: "broken", call });
  });

  test("fails as connections do, where nothing else is said", async () => {
    const ask = () => {
      throw new Error("to canary-key");
    };
    const made = providerModel(profile, { secrets, ask });
    const reading = () => toArray(made.stream({ messages: [] }, { signal: undefined, delivery: "whole" }));
    expect(await thrownBy(reading)).toMatchObject({
      code: "network",
      message: "The connection to mock failed: to [redacted]",
    });
  });

  test("is not asked when its call is cancelled already", async () => {
    let asked = 0;
    const stream = asking(() => {
      asked++;
      return streamOf(END);
    }, AbortSignal.abort());
    expect(await thrownBy(() => toArray(stream))).toMatchObject({ code: "cancelled" });
    expect(asked).toBe(0);
  });

  test.each<[string, () => AsyncIterable<ModelDelta>]>([
    ["ends as if nothing had happened", () => streamOf()],
    ["goes on", () => streamOf(END)],
    [
      "throws an error of its own",
      () => {
        throw broken;
      },
    ],
  ])("is cancelled by its signal, also where what is below %s", async (_, rest) => {
    const caller = new AbortController();
    const told: ModelDelta[] = [];
    const stream = asking(async function* () {
      yield TEXT;
      yield* rest();
    }, caller.signal);
    const reading = async (): Promise<void> => {
      for await (const delta of stream) {
        told.push(delta);
        caller.abort();
      }
    };
    expect(await thrownBy(reading)).toMatchObject({ code: "cancelled" });
    expect(told).toEqual([TEXT]);
  });

  test("hands on a signal that follows the caller's until the answer has ended", async () => {
    const caller = new AbortController();
    const given: AbortSignal[] = [];
    const ask: ProviderModelOptions["ask"] = (_, { signal }) => {
      given.push(signal);
      return streamOf<ModelDelta>(TEXT, END);
    };
    await toArray(asking(ask, caller.signal));
    const second = asking(ask, caller.signal);
    await second.next();
    caller.abort();
    expect(given.map(({ aborted }) => aborted)).toEqual([false, true]);
    await thrownBy(() => second.next());
  });

  test("is left when whoever reads leaves", async () => {
    let left = false;
    const stream = asking(async function* () {
      try {
        yield TEXT;
        yield END;
      } finally {
        left = true;
      }
    });
    for await (const _ of stream) break;
    expect(left).toBe(true);
  });
});

describe("a question to a provider", () => {
  const question = { provider: "mock", secrets, signal: undefined, failed };

  test("has its answer", async () => {
    expect(await providerAnswer({ ...question, ask: async () => 7 })).toBe(7);
  });

  test("fails with a typed error, made of what was thrown and whose call it was", async () => {
    const ask = () => Promise.reject(broken);
    const call = { provider: "mock", secrets };
    const error = await thrownBy(() => providerAnswer({ ...question, ask }));
    expect(error).toMatchObject({ message: "broken" });
    expect((error as Failed).call).toEqual(call);
    expect(await thrownBy(() => providerAnswer({ ...question, failed: undefined, ask }))).toMatchObject({
      code: "network",
    });
  });

  test("is not asked when it is cancelled already", async () => {
    let asked = 0;
    const ask = async () => asked++;
    const answering = () => providerAnswer({ ...question, signal: AbortSignal.abort(), ask });
    expect(await thrownBy(answering)).toMatchObject({ code: "cancelled" });
    expect(asked).toBe(0);
  });

  test.each([
    ["with an answer", () => Promise.resolve(7)],
    ["with an error of its own", () => Promise.reject(broken)],
  ])("is cancelled by its signal, also where what is below ends %s", async (_, end) => {
    const caller = new AbortController();
    const ask = (signal: AbortSignal) => {
      caller.abort();
      expect(signal.aborted).toBe(true);
      return end();
    };
    const answering = () => providerAnswer({ ...question, signal: caller.signal, ask });
    expect(await thrownBy(answering)).toMatchObject({ code: "cancelled" });
  });

  test("leaves no listener on the caller's signal", async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counted = Object.assign(signal, {
      addEventListener: () => listeners++,
      removeEventListener: () => listeners--,
    });
    await providerAnswer({ ...question, signal: counted as never, ask: async () => 7 });
    await thrownBy(() => providerAnswer({ ...question, signal: counted as never, ask: () => Promise.reject(broken) }));
    expect(listeners).toBe(0);
  });
});
