import { type Middleware, type ToolInvocation, tool, toolText } from "@tinyagents/core";
import { fakeTool, testRuntime } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

describe("what a tool says of itself", () => {
  test("is all there for middleware, from the call (TOOL-04, TOOL-13, TOOL-14)", async () => {
    const seen: ToolInvocation[] = [];
    const watch: Middleware = { name: "watch", beforeTool: (invocation) => void seen.push(invocation) };
    const policy = {
      effect: "write",
      idempotent: true,
      concurrencySafe: false,
      timeoutMs: 5_000,
      maxResultChars: 1_000,
      permission: "editor",
    } as const;
    const edit = fakeTool({
      name: "edit",
      policy,
      label: "Edit a page",
      markdown: true,
      extensions: { acme: { icon: "pen" } },
    });
    const { run, model } = scriptedAgent({
      tools: [edit],
      middleware: [watch],
      script: [calls(call("edit", { id: 1 })), "done"],
    });
    await run();
    expect(seen).toMatchObject([
      {
        id: "a",
        name: "edit",
        args: { id: 1 },
        modelCallId: "run-1/m1",
        policy,
        spec: { label: "Edit a page", markdown: true, extensions: { acme: { icon: "pen" } } },
      },
    ]);
    expect(JSON.stringify(model.requests[0]?.tools)).not.toMatch(/acme|editor|Edit a page/);
  });

  test("may depend on the arguments, and holds for the call (TOOL-14)", async () => {
    const effects: unknown[] = [];
    const sql = fakeTool({
      name: "sql",
      policy: ({ query }) => ({ effect: String(query).startsWith("select") ? "read" : "write" }),
    });
    const { run } = scriptedAgent({
      tools: [sql],
      middleware: [{ name: "watch", beforeTool: ({ policy }) => void effects.push(policy.effect) }],
      script: [calls(call("sql", { query: "select 1" }), call("sql", { query: "drop" })), "done"],
    });
    await run();
    expect(effects).toEqual(["read", "write"]);
    expect(sql.spec).toMatchObject({ dynamicPolicy: true, policy: {} });
  });

  test("denies the call when it cannot be computed: nothing runs unchecked (TOOL-14)", async () => {
    const odd = fakeTool({
      name: "odd",
      policy: () => {
        throw new Error("the table of policies is gone");
      },
    });
    const { run } = scriptedAgent({ tools: [odd], script: [calls("odd"), "done"] });
    const [result] = resultsOf(await run());
    expect(result?.status).toBe("denied");
    expect(toolText(result as never)).toContain("the table of policies is gone");
    expect(odd.calls).toHaveLength(0);
  });
});

describe("a strict run", () => {
  test("refuses tools that do not say what they do, and tells the model", async () => {
    const plain = fakeTool({ name: "plain", policy: {} });
    const known = fakeTool({ name: "known" });
    const { run } = scriptedAgent({
      tools: [plain, known],
      policies: { strictTools: true },
      script: [calls("plain", "known"), "done"],
    });
    const results = resultsOf(await run());
    expect(results.map(({ status }) => status)).toEqual(["denied", "ok"]);
    expect(toolText(results[0] as never)).toContain("does not say what it does");
    expect(plain.calls).toHaveLength(0);
  });

  test("goes by what holds for the arguments", async () => {
    const some = fakeTool({ name: "some", policy: ({ safe }) => (safe === true ? { effect: "read" } : {}) });
    const { run } = scriptedAgent({
      tools: [some],
      policies: { strictTools: true },
      script: [calls(call("some", { safe: true }), call("some", {})), "done"],
    });
    expect(resultsOf(await run()).map(({ status }) => status)).toEqual(["ok", "denied"]);
  });

  test("is not what runs are by default", async () => {
    const plain = fakeTool({ name: "plain", policy: {} });
    await scriptedAgent({ tools: [plain], script: [calls("plain"), "done"] }).run();
    expect(plain.calls).toHaveLength(1);
  });
});

describe("a tool", () => {
  test("can be run without any agent (TOOL-01)", async () => {
    const add = tool({
      name: "add",
      description: "Adds.",
      input: z.object({ a: z.number(), b: z.number().default(1) }),
      execute: ({ a, b }, { callId }) => `${callId}: ${a + b}`,
    });
    const checked = await add.check?.({ a: 2 });
    expect(checked).toEqual({ ok: true, value: { a: 2, b: 1 } });
    expect(add.execute({ a: 2, b: 1 }, testRuntime(add, { callId: "c9" }))).toBe("c9: 3");
  });

  test("gets data, run, signal and keys beside its arguments, none of which the model sees (TOOL-07)", async () => {
    const seen: unknown[] = [];
    const look = fakeTool({
      name: "look",
      execute: (input, runtime) => {
        const { config } = runtime.run;
        seen.push(input, runtime.data, config.threadId, config.metadata, runtime.signal.aborted, runtime.spec.name);
        seen.push(
          runtime.callId,
          runtime.idempotencyKey,
          runtime.attempt,
          runtime.resumed,
          runtime.run.usage.modelCalls,
        );
        return "seen";
      },
    });
    const { run, model } = scriptedAgent({ tools: [look], script: [calls(call("look", { q: 1 })), "done"] });
    await run("Go.", { data: { token: "s3cret" }, threadId: "t1", metadata: { plan: "pro" } });
    expect(seen).toEqual([
      { q: 1 },
      { token: "s3cret" },
      "t1",
      { plan: "pro" },
      false,
      "look",
      "a",
      "run-1/a",
      1,
      undefined,
      1,
    ]);
    expect(JSON.stringify(model.requests)).not.toMatch(/s3cret|"pro"/);
  });

  test("can emit events of its own (TOOL-07)", async () => {
    const emit = fakeTool({ name: "emit", execute: (_, { run }) => run.emit("page.read", { page: 3 }) });
    const { run, events } = scriptedAgent({ tools: [emit], script: [calls("emit"), "done"] });
    await run();
    expect(events.ofType("custom").map(({ data }) => data)).toEqual([{ name: "page.read", payload: { page: 3 } }]);
  });

  test("may be called in another form than JSON: a wrap around the model makes calls of one shape (TOOL-18)", async () => {
    const seen: ToolInvocation[] = [];
    const search = fakeTool({ name: "search", input: z.object({ q: z.string() }) });
    const textForm: Middleware = {
      name: "text_form",
      async *wrapModel(request, _, next) {
        for await (const delta of next(request)) {
          const block = delta.type === "block" && delta.block.type === "text" ? delta.block : undefined;
          const [, name, q] = /^CALL (\w+): (.*)$/.exec(block?.text ?? "") ?? [];
          if (name === undefined || q === undefined) yield delta;
          else yield { type: "block", index: 0, block: { type: "tool_call", id: "t1", name, args: { q } } };
        }
      },
    };
    const { run } = scriptedAgent({
      tools: [search],
      middleware: [textForm, { name: "watch", beforeTool: (invocation) => void seen.push(invocation) }],
      script: ["CALL search: trains", "done"],
    });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(seen).toMatchObject([{ id: "t1", name: "search", args: { q: "trains" } }]);
    expect(search.calls.map(({ input }) => input)).toEqual([{ q: "trains" }]);
  });
});
