import type { Middleware } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";

const model = scriptedModel(["done"]);
const base = { name: "clerk", model };

/** An agent as somebody makes it who has no compiler. */
function made(wrong: object): () => unknown {
  return () => createAgent({ ...base, ...wrong } as AgentOptions);
}

describe("an option that cannot be", () => {
  test.each<[object, RegExp]>([
    [{ toolz: [] }, /createAgent: toolz: there is no such option; there are: name, model, .*tools/],
    [{ policies: { strictTool: true } }, /createAgent: policies\.strictTool: .*strictTools/],
    [{ policies: { strictTools: "yes" } }, /createAgent: policies\.strictTools: a boolean/],
    [{ settings: { temprature: 1 } }, /createAgent: settings\.temprature: .*temperature/],
    [{ settings: 5 }, /createAgent: settings: an object is expected/],
    [{ tools: {} }, /createAgent: tools: a list is expected/],
    [{ tools: [createAgent(base)] }, /createAgent: tools\[0\]: .*use tool\(\) or agent\.asTool\(\)/],
    [{ tools: [fakeTool({ name: "a" }), { name: "b" }] }, /createAgent: tools\[1\]: .*use tool\(\)/],
    [{ tools: [null] }, /createAgent: tools\[0\]: .*use tool\(\)/],
    [{ model: 5 }, /createAgent: model: a ChatModel is expected, with id, profile, stream/],
    [{ model: "gpt" }, /createAgent: models: a registry that has "gpt" is expected/],
    [{ models: { gpt: model } }, /createAgent: models: a ModelRegistry is expected, with has, model/],
    [{ fallbacks: ["gpt"] }, /createAgent: models: a registry that has "gpt"/],
    [{ model: { stream: model.stream } }, /createAgent: model: a ChatModel/],
    [{ fallbacks: [model, {}] }, /createAgent: fallbacks\[1\]: a ChatModel/],
    [{ fallbacks: model }, /createAgent: fallbacks: a list/],
    [{ memory: new Map() }, /createAgent: memory: a ShortTermMemory .*load, save; missing: load, save/],
    [{ recorder: { load: () => undefined, step: () => {} } }, /createAgent: recorder: .*missing: toolResult/],
    [{ approver: () => ({ approve: true }) }, /createAgent: approver: an Approver .*decide/],
    [{ events: () => {} }, /createAgent: events: .*callbackSink.*emit/],
    [{ prices: { mock: 1 } }, /createAgent: prices: .*priceOf/],
    [{ clock: Date }, /createAgent: clock: .*missing: setTimer, sleep/],
    [{ output: { schema: undefined } }, /createAgent: output: a schema, or an object with a schema is expected/],
    [{ output: { schema: {}, strategy: "magic" } }, /output\.strategy: one of auto, native, tool, prompt is expected/],
    [{ output: { schema: {}, name: "my answer" } }, /output\.name: up to 64 letters/],
    [{ output: { schema: {}, onInvalid: true } }, /output\.onInvalid: false, a text or a function/],
    [{ output: { city: { "~standard": { version: 1, vendor: "x", validate: () => ({}) } } } }, /output: .*wrap it/],
  ])("is a TypeError that names it, and what is expected: %#", (wrong, message) => {
    expect(made(wrong)).toThrow(TypeError);
    expect(made(wrong)).toThrow(message);
  });

  test("is none at all where it is not said, or said to be undefined", () => {
    expect(made({ toolz: undefined, memory: undefined, tools: undefined, policies: undefined })).not.toThrow();
    expect(() => createAgent(undefined as never)).toThrow(/createAgent: options/);
  });

  test("is a tool whose policy cannot be read, whoever made it", () => {
    const wipe = fakeTool({ name: "wipe" });
    const forged = { ...wipe, spec: { ...wipe.spec, policy: { approval: true } } };
    expect(made({ tools: [forged] })).toThrow(/tool "wipe": policy\.approval/);
  });
});

describe("middleware", () => {
  test("with a hook that there is not is told which there are", () => {
    const typo = { name: "typo", beforeModal: () => {} };
    expect(made({ middleware: [typo] })).toThrow(TypeError);
    expect(made({ middleware: [typo] })).toThrow(
      /middleware\[0\]\.beforeModal: there is no such hook; there are: beforeAgent, .*beforeModel/,
    );
    expect(made({ middleware: [{ name: "flag", beforeModel: true }] })).toThrow(/beforeModel: a function is expected/);
    expect(made({ middleware: [null] })).toThrow(/middleware\[0\]: a Middleware is expected/);
  });

  test("may have data of its own, and helpers of its class", () => {
    class Counting implements Middleware {
      readonly name = "counting";
      readonly options = { most: 3 };
      beforeModel(): void {
        this.count();
      }
      count(): void {}
    }
    expect(made({ middleware: [new Counting()] })).not.toThrow();
  });
});
