import { describe, expect, test } from "vitest";
import { manualClock } from "../clock.js";
import { type ErrorCode, TinyAgentsError } from "../errors.js";
import type { ChatModel } from "./chat-model.js";
import { collect } from "./collect.js";
import type { ModelDelta } from "./delta.js";
import { canTake, type Fallback, fallbackStream, mayFallBack } from "./fallback.js";
import type { ModelProfile } from "./profile.js";
import type { ModelRequest } from "./request.js";
import { retryStream } from "./retry.js";

const request: ModelRequest = { messages: [] };

function modelOf(
  name: string,
  deltas: readonly (ModelDelta | Error)[],
  capabilities: ModelProfile["capabilities"] = {},
): ChatModel {
  return {
    id: `test/${name}`,
    profile: { provider: "test", model: name, capabilities, lifecycle: "active", source: "local" },
    async *stream() {
      for (const delta of deltas) {
        if (delta instanceof Error) throw delta;
        yield delta;
      }
    },
  };
}

const failure = (code: ErrorCode): TinyAgentsError =>
  new TinyAgentsError(code, `failed with ${code}`, { details: { provider: "test" } as never });
const said = (text: string): ModelDelta => ({ type: "text", index: 0, text });
const end: ModelDelta = { type: "finish", finishReason: "stop" };
const call = { signal: undefined, delivery: "incremental" } as const;

function ask(models: readonly ChatModel[], seen: Fallback[] = []) {
  return fallbackStream(
    {},
    models.map((model) => ({ model })),
    request,
    (model) => model.stream(request, call),
    (step) => seen.push(step),
  );
}

describe("fallback (ERR-11)", () => {
  test("goes on with the next model, whose answer alone counts and whose name it has", async () => {
    const one = modelOf("one", [said("half an ans"), failure("provider_overloaded")]);
    const two = modelOf("two", [said("whole"), end]);
    const seen: Fallback[] = [];
    const response = await collect(ask([one, two], seen), { id: "test/one", provider: "test", model: "one" });
    expect(response.message.content).toEqual([{ type: "text", text: "whole" }]);
    expect(response.model).toEqual({
      id: "test/two",
      provider: "test",
      model: "two",
      chosenBy: "fallback",
      failed: [{ id: "test/one", code: "provider_overloaded" }],
    });
    expect(response.message.model).toEqual(response.model);
    expect(response.attempts).toBe(2);
    expect(seen.map(({ failed, next, error }) => [failed.model.id, next.model.id, error.code])).toEqual([
      ["test/one", "test/two", "provider_overloaded"],
    ]);
  });

  test("has every model that failed on record, in order, with its last failure and its registry name", async () => {
    const exhausted = new TinyAgentsError("retry_exhausted", "gave up", {
      details: { attempts: 3, lastCode: "provider_rate_limit" },
    });
    const models = [
      { model: modelOf("one", [exhausted]), name: "cheap" },
      { model: modelOf("passed over", [end], { tools: "no" }) },
      { model: modelOf("two", [said("half"), failure("network")]) },
      { model: modelOf("three", [said("ok"), end]), name: "good" },
    ];
    const tool = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
    const withTool: ModelRequest = { messages: [], tools: [tool] };
    const stream = fallbackStream({}, models, withTool, (model) => model.stream(withTool, call));
    const response = await collect(stream, { id: "test/one", provider: "test", model: "one" });
    expect(response.model).toMatchObject({ id: "test/three", name: "good" });
    expect(response.model.failed).toEqual([
      { id: "test/one", name: "cheap", code: "provider_rate_limit" },
      { id: "test/two", code: "network" },
    ]);
  });

  test("numbers attempts over the retries of all models", async () => {
    const one = modelOf("one", [failure("network")]);
    const two = modelOf("two", [said("ok"), end]);
    const context = { clock: manualClock(), random: () => 0, signal: undefined };
    const stream = fallbackStream({}, [{ model: one }, { model: two }], request, (model) =>
      retryStream({ maxAttempts: 2, initialDelayMs: 0 }, context, () => model.stream(request, call)),
    );
    const restarts: unknown[] = [];
    const reading = (async () => {
      for await (const delta of stream)
        if (delta.type === "restart") restarts.push([delta.attempt, delta.reason, delta.model?.id]);
    })();
    await context.clock.advance(0);
    await reading;
    expect(restarts).toEqual([
      [2, "network", undefined],
      [3, "retry_exhausted", "test/two"],
    ]);
  });

  test("passes over models that cannot take the request", async () => {
    const models = [
      { model: modelOf("one", [failure("network")]) },
      { model: modelOf("two", [said("wrong"), end], { tools: "no" }) },
      { model: modelOf("three", [said("right"), end], { tools: "yes" }), name: "last" },
    ];
    const withTools: ModelRequest = {
      messages: [],
      tools: [{ name: "t", description: "", inputSchema: {} }],
      requires: ["tools"],
    };
    const stream = fallbackStream({}, models, withTools, (model) => model.stream(withTools, call));
    const response = await collect(stream, { id: "test/one", provider: "test", model: "one" });
    expect(response.model).toMatchObject({ id: "test/three", name: "last" });
  });

  test("passes over models that are retired", () => {
    const { profile, ...rest } = modelOf("one", []);
    expect(canTake({ ...rest, profile }, request)).toBe(true);
    expect(canTake({ ...rest, profile: { ...profile, lifecycle: "retired" } }, request)).toBe(false);
  });

  test.each(["provider_auth", "provider_billing", "provider_bad_request", "cancelled", "limit_exceeded"] as const)(
    "does not turn to another model for %s by default (ERR-12, MW-06)",
    async (code) => {
      const two = modelOf("two", [said("no"), end]);
      await expect(
        collect(ask([modelOf("one", [failure(code)]), two]), { id: "", provider: "", model: "" }),
      ).rejects.toMatchObject({ code });
    },
  );

  test("turns to another model for a used-up quota only where the policy says so (ERR-12)", () => {
    expect(mayFallBack({ codes: ["provider_billing"] }, failure("provider_billing"))).toBe(true);
    expect(mayFallBack({ codes: ["cancelled"] }, failure("cancelled"))).toBe(false);
    expect(mayFallBack({}, new Error("not ours"))).toBe(false);
  });

  test("counts used-up retries as the failure they ended with", () => {
    const exhausted = (lastCode: ErrorCode): TinyAgentsError =>
      new TinyAgentsError("retry_exhausted", "gave up", { details: { attempts: 3, lastCode } });
    expect(mayFallBack({}, exhausted("provider_server"))).toBe(true);
    expect(mayFallBack({}, exhausted("provider_auth"))).toBe(false);
  });

  test("needs at least one model", () => {
    expect(() => ask([])).toThrow(TypeError);
  });

  test("throws the failure of the last model", async () => {
    const models = [modelOf("one", [failure("network")]), modelOf("two", [failure("provider_server")])];
    await expect(collect(ask(models), { id: "", provider: "", model: "" })).rejects.toMatchObject({
      code: "provider_server",
    });
  });

  test("passes over models that cannot read the media in the request", () => {
    const source = { type: "base64", data: "AA==", mediaType: "image/png" } as const;
    const image: ModelRequest = { messages: [{ role: "user", content: [{ type: "image", source }] }] };
    expect(canTake(modelOf("one", [], { image_input: "no" }), image)).toBe(false);
    expect(canTake(modelOf("one", [], { audio_input: "no" }), image)).toBe(true);
  });

  test("needs structured output where the request has a schema", () => {
    const schema: ModelRequest = { messages: [], responseFormat: { type: "json_schema", name: "x", schema: {} } };
    expect(canTake(modelOf("one", [], { structured_output: "no" }), schema)).toBe(false);
    expect(canTake(modelOf("one", []), schema)).toBe(true);
  });
});

test("what is no fragment passes through to whoever adds it up", async () => {
  const broken = modelOf("one", [null as unknown as ModelDelta]);
  const failed = collect(ask([broken, modelOf("two", [end])]), { id: "test/one", provider: "test", model: "one" });
  await expect(failed).rejects.toMatchObject({
    code: "corrupt_data",
    details: { place: "the stream of test/one, delta 1" },
  });
});
