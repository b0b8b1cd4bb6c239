import { type Middleware, TinyAgentsError, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

function refuse(): never {
  throw new Error("you may not look");
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

/** Things to throw, or to return, that do harm to whoever looks at them. */
const HOSTILE: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["an object whose getters throw", Object.defineProperties({}, { message: { get: refuse }, name: { get: refuse } })],
  ["a proxy that throws at everything", new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse })],
  ["a proxy that says yes to everything", new Proxy({}, { get: () => true })],
  ["a revoked proxy", revoked()],
  ["an error whose message is no text", Object.assign(new Error("x"), { message: { toString: refuse }, name: 7 })],
  ["an object whose toString throws", { toString: refuse, toJSON: refuse, [Symbol.toPrimitive]: refuse }],
];

const raised = (thrown: unknown) => (): never => {
  throw thrown;
};

describe.each(HOSTILE)("%s", (_, thrown) => {
  test("thrown by a tool, at once or later, is told to the model like any failure", async () => {
    const sync = fakeTool({ name: "sync", execute: raised(thrown) });
    const later = fakeTool({ name: "later", execute: async () => raised(thrown)() });
    const yields = {
      ...fakeTool({ name: "yields" }),
      execute: async function* () {
        yield 1;
        raised(thrown)();
      },
    };
    const { run, events } = scriptedAgent({
      tools: [sync, later, yields],
      script: [calls("sync", "later", "yields"), "done"],
    });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(resultsOf(finished).map(toolText)).toEqual(
      ["sync", "later", "yields"].map((name) => `The tool ${name} failed: an unknown value was thrown`),
    );
    expect(events.ofType("tool.failed").map(({ data }) => data.error?.code)).toEqual(Array(3).fill("tool_failed"));
  });

  test("thrown by a tool that is retried counts as a failure each time", async () => {
    const tool = fakeTool({
      name: "t",
      policy: { retry: { maxAttempts: 2, initialDelayMs: 0 } },
      execute: raised(thrown),
    });
    const { run, clock } = scriptedAgent({ tools: [tool], script: [calls("t"), "done"] });
    const running = run();
    await tool.called();
    await clock.advance(1);
    expect(resultsOf(await running)[0]).toMatchObject({ status: "failed", attempts: 2 });
  });

  test("thrown by a schema or a policy of a tool runs nothing", async () => {
    const schema = fakeTool({ name: "schema", input: z.object({}) });
    const policy = fakeTool({ name: "policy", policy: raised(thrown) });
    const { run } = scriptedAgent({
      tools: [{ ...schema, check: raised(thrown) }, policy],
      script: [calls("schema", "policy"), "done"],
    });
    expect(resultsOf(await run()).map(({ status }) => status)).toEqual(["failed", "denied"]);
    expect([schema.calls, policy.calls]).toEqual([[], []]);
  });

  test.each<Partial<Middleware>>([
    { beforeTool: raised(thrown) },
    { wrapTool: async () => raised(thrown)() },
    { afterTool: raised(thrown) },
  ])("thrown by a hook around a tool ends the run as its failure: %j", async (hook) => {
    const tool = fakeTool({ name: "t" });
    const { run } = scriptedAgent({ tools: [tool], middleware: [{ name: "odd", ...hook }], script: [calls("t")] });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({ code: "middleware_failed", details: { middleware: "odd" } });
    expect(error.message).toContain("an unknown value was thrown");
  });

  test("thrown by an approver ends the run, and nothing runs", async () => {
    const tool = fakeTool({ name: "t", policy: { approval: "always" } });
    const { run } = scriptedAgent({ tools: [tool], approver: { decide: raised(thrown) }, script: [calls("t")] });
    const { error } = await failureOf(run());
    expect(error.message).toContain("an unknown value was thrown");
    expect(tool.calls).toHaveLength(0);
  });
});

test.each(HOSTILE.slice(1))("%s returned by a tool harms nobody", async (_, value) => {
  const tool = fakeTool({ name: "t", execute: () => value });
  const wrapped = fakeTool({ name: "w", execute: async () => [value] });
  const { run } = scriptedAgent({ tools: [tool, wrapped], script: [calls("t", "w"), "done"] });
  const finished = await run();
  expect(finished.text).toBe("done");
  for (const result of resultsOf(finished)) expect(["ok", "failed"]).toContain(result.status);
});

describe("what a failing tool says without end", () => {
  const endless = "x".repeat(10_000_000);

  test.each<[string, unknown]>([
    ["an error", new Error(endless)],
    ["a text", endless],
    ["an error of ours", new TinyAgentsError("invalid_request", endless, { details: {} })],
  ])("is cut for the model and for watchers: %s", async (_, thrown) => {
    const tool = fakeTool({ name: "t", execute: raised(thrown) });
    const { run, events } = scriptedAgent({ tools: [tool], script: [calls("t"), "done"] });
    const said = toolText(resultsOf(await run())[0] as never);
    expect(said.length).toBeLessThan(4_100);
    expect(said).toContain("[cut: 1");
    expect(JSON.stringify(events.ofType("tool.failed")).length).toBeLessThan(6_000);
  });

  test("is cut where a policy cannot be had, or arguments do not fit", async () => {
    const policy = fakeTool({ name: "policy", policy: raised(new Error(endless)) });
    const schema = fakeTool({
      name: "schema",
      input: z.object({}).refine(() => false, { error: endless }),
    });
    const { run } = scriptedAgent({ tools: [policy, schema], script: [calls("policy", "schema"), "done"] });
    for (const result of resultsOf(await run())) expect(toolText(result).length).toBeLessThan(4_300);
  });
});

describe("what the model is told is bounded", () => {
  test("when a name without end is called", async () => {
    const { run } = scriptedAgent({ script: [calls("x".repeat(100_000)), "done"] });
    expect(toolText(resultsOf(await run())[0] as never).length).toBeLessThan(200);
  });

  test("when an approver gives reasons without end", async () => {
    const tool = fakeTool({ name: "t", policy: { approval: "always" } });
    const { run } = scriptedAgent({
      tools: [tool],
      approver: { decide: () => ({ approve: false, reason: "x".repeat(100_000) }) },
      script: [calls("t"), "done"],
    });
    const said = toolText(resultsOf(await run())[0] as never);
    expect(said.length).toBeLessThan(2_100);
    expect(said).toMatch(/It was not run\.$/);
  });

  test("when a schema finds fault without end", async () => {
    const schemaValidator = {
      compile: () => () => Array.from({ length: 10_000 }, () => ({ path: "a", message: "y".repeat(1_000) })),
    };
    const tool = fakeTool({ name: "t" });
    const { run } = scriptedAgent({ tools: [tool], schemaValidator, script: [calls("t"), "done"] });
    expect(toolText(resultsOf(await run())[0] as never).length).toBeLessThan(3_200);
  });

  test("and of many small faults the first are told, and how many more there are", async () => {
    const schemaValidator = {
      compile: () => () => Array.from({ length: 60 }, (_, at) => ({ path: `a[${at}]`, message: "is wrong" })),
    };
    const { run } = scriptedAgent({ tools: [fakeTool({ name: "t" })], schemaValidator, script: [calls("t"), "done"] });
    const said = toolText(resultsOf(await run())[0] as never);
    expect(said).toContain("- a[49]: is wrong\n- and 10 more\n");
  });

  test("when a tool fails with an error of ours that holds a whole body", async () => {
    const body = { reason: "b".repeat(1_000_000) };
    const thrown = new TinyAgentsError("invalid_request", "no", { details: body });
    const { run, events } = scriptedAgent({
      tools: [fakeTool({ name: "t", execute: raised(thrown) })],
      script: [calls("t"), "done"],
    });
    await run();
    expect(JSON.stringify(events.ofType("tool.failed")).length).toBeLessThan(70_000);
  });
});

test("an approver whose arguments are no JSON gives no answer: nothing runs", async () => {
  const tool = fakeTool({ name: "t", policy: { approval: "always" } });
  const { run } = scriptedAgent({
    tools: [tool],
    approver: { decide: () => ({ approve: true, args: { when: new Map() } as never }) },
    script: [calls("t")],
  });
  const { error } = await failureOf(run());
  expect(error).toMatchObject({ code: "invalid_request", details: { reason: "approval_answer" } });
  expect(error.message).toContain("its args must be JSON");
  expect(tool.calls).toHaveLength(0);
});
