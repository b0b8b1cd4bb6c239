import { isTinyAgentsError, type Middleware, parseJson, readAgentState, TinyAgentsError } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { boundedError } from "../../src/run/bounded-error.js";
import { failureOf } from "../support/failures.js";
import { rawModel } from "../support/raw-model.js";

const body = "<html>".repeat(1_000_000);
const withDetails = (details: unknown, message = "bad gateway") =>
  new TinyAgentsError("provider_auth", message, { details: details as never });
const size = (value: unknown) => JSON.stringify(value).length;

describe("an error with a whole body in it", () => {
  test("is cut before it stands in the state, in events, and in what the caller gets (ERR-01)", async () => {
    const events = eventRecorder();
    const thrown = withDetails({ provider: "test", providerCode: body, requestId: "r" }, body);
    const agent = createAgent({ name: "a", model: rawModel([[thrown]]), events });
    const { error, run } = await failureOf(agent.invoke("Hi"));
    expect(error).toMatchObject({ code: "provider_auth", details: { provider: "test" } });
    for (const record of [
      run.error,
      run.state.error,
      error,
      ...events.ofType("model.failed"),
      ...events.ofType("run.failed"),
    ]) {
      expect(size(record)).toBeLessThan(75_000);
      expect(size(record)).toBeGreaterThan(60_000);
    }
    expect(error.message.length).toBeLessThan(5_000);
    expect(readAgentState(JSON.stringify(run.state)).error).toEqual(run.error);
    expect(isTinyAgentsError(error.cause) && error.cause.details).toBe(thrown.details);
  });

  test("is heard of once by error hooks, and is the same to all of them", async () => {
    const heard: unknown[] = [];
    const ears = (name: string): Middleware => ({ name, onError: (error) => void heard.push(error) });
    const model = rawModel([[withDetails({ provider: body })]]);
    await failureOf(createAgent({ name: "a", model, middleware: [ears("one"), ears("two")] }).invoke("Hi"));
    expect(heard).toHaveLength(2);
    expect(heard[0]).toBe(heard[1]);
  });

  test("that a hook put in place of another is not told to it again", async () => {
    const heard: string[] = [];
    const error = new TinyAgentsError("invalid_request", "mine", { details: { reason: body } });
    const replacing: Middleware = {
      name: "m",
      onError: ({ code }) => {
        heard.push(code);
        return { control: { type: "fail", error } };
      },
    };
    const model = rawModel([[withDetails({ provider: "test" })]]);
    const failed = await failureOf(createAgent({ name: "a", model, middleware: [replacing] }).invoke("Hi"));
    expect(failed.error.code).toBe("invalid_request");
    expect(heard).toEqual(["provider_auth"]);
  });

  test("is cut in the events of the call that is under way when a run is cancelled with it", async () => {
    const controller = new AbortController();
    const events = eventRecorder();
    const model = scriptedModel([{ text: "so far", hang: true }]);
    const failing = failureOf(createAgent({ name: "a", model, events }).invoke("Hi", { signal: controller.signal }));
    await model.called();
    controller.abort(withDetails({ provider: body }));
    await failing;
    expect(size(events.ofType("model.failed")[0])).toBeLessThan(75_000);
  });

  test("is cut too where a hook puts it in place of another, and where a run is cancelled with it", async () => {
    const error = withDetails({ provider: body });
    const replacing: Middleware = { name: "m", onError: () => ({ control: { type: "fail", error } }) };
    const auth = withDetails({ provider: "test" });
    const replaced = createAgent({ name: "a", model: rawModel([[auth]]), middleware: [replacing] });
    expect(size((await failureOf(replaced.invoke("Hi"))).run.state.error)).toBeLessThan(75_000);
    const signal = AbortSignal.abort(error);
    const cancelled = createAgent({ name: "a", model: scriptedModel(["Hi."]) }).invoke("Hi", { signal });
    expect(size((await failureOf(cancelled)).run.state.error)).toBeLessThan(75_000);
  });
});

describe("details of an error", () => {
  test("that fit are left as they are", () => {
    const error = withDetails({
      provider: "test",
      status: 502,
      nested: [{ a: null, gone: undefined }],
      text: "x".repeat(60_000),
    });
    expect(boundedError(error)).toBe(error);
  });

  const cyclic: { [key: string]: unknown } = {};
  cyclic.self = cyclic;
  const shut = Object.defineProperty({}, "provider", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });

  test.each<[unknown, unknown]>([
    [
      { f: () => 1, n: 1n, when: new Date(0), nan: Number.NaN },
      { f: "[function]", n: "[bigint]", when: "[object Date]", nan: "[number]" },
    ],
    [undefined, {}],
    ["text", {}],
    [["a"], {}],
    [shut, {}],
    [JSON.parse('{"__proto__":{"a":1},"b":2}'), { b: 2 }],
  ])("that are no JSON are made some (%#)", (details, kept) => {
    const bounded = boundedError(withDetails(details));
    expect(bounded.details).toEqual(kept);
    expect(bounded).toMatchObject({ code: "provider_auth", message: "bad gateway", retryable: false });
  });

  test.each<[string, unknown]>([
    ["hold themselves", cyclic],
    ["are nested deep", { deep: JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) }],
    ["have one long text", { text: body }],
    ["have many texts", { texts: Array.from({ length: 100_000 }, () => "some text") }],
    ["have many keys", Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key ${at}`, 1]))],
    ["have one long key", { [body]: 1 }],
    ["have many empty lists", { lists: Array.from({ length: 1_000_000 }, () => []) }],
  ])("that %s are cut", (_, details) => {
    const bounded = boundedError(withDetails(details));
    expect(size(bounded.details)).toBeLessThan(200_000);
    expect(() => parseJson(JSON.stringify(bounded.details), { place: "details" })).not.toThrow();
    expect(bounded).toHaveProperty("cause");
  });

  test("do not lose whether a repeat could help, nor the run", () => {
    const error = new TinyAgentsError("network", "x", { details: { reason: body }, retryable: true, runId: "run_1" });
    expect(boundedError(error)).toMatchObject({ retryable: true, runId: "run_1", code: "network" });
  });
});
