import { type Block, content, type ToolMessage, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";
import { valueStore } from "../support/value-store.js";

const above = (artifactAboveChars: number) => ({ effect: "none", artifactAboveChars }) as const;

describe("large results", () => {
  test("go to the artifact store, and the model gets a reference in their place (TOOL-09, STO-16)", async () => {
    const { stores, records } = valueStore();
    const text = "0123456789".repeat(10);
    const tool = fakeTool({ name: "dump", result: text, policy: above(100) });
    const { run, model } = scriptedAgent({ tools: [tool], stores, script: [calls("dump"), "done"] });
    const finished = await run();
    const [result] = resultsOf(finished);
    expect(result?.artifacts).toEqual([{ key: ["run-1", "a", "0"], mediaType: "text/plain", bytes: 100 }]);
    expect(result?.truncatedFrom).toBe(100);
    expect(toolText(result as ToolMessage)).toBe(
      "[The result has 100 characters and was kept as an artifact: run-1/a/0]",
    );
    expect(records.get("run-1/a/0")).toMatchObject({
      value: { type: "text", text },
      attributes: { mediaType: "text/plain" },
    });
    expect(JSON.stringify(model.requests)).not.toContain(text);
    expect(JSON.stringify(finished.state)).not.toContain(text);
  });

  test("stay where they are below the mark", async () => {
    const { stores, records } = valueStore();
    const tool = fakeTool({ name: "dump", result: "x".repeat(99), policy: above(100) });
    await scriptedAgent({ tools: [tool], stores, script: [calls("dump"), "done"] }).run();
    expect(records.size).toBe(0);
  });

  test("are measured by what the model would read, numbers too", async () => {
    const { stores, records } = valueStore();
    const tool = fakeTool({ name: "dump", results: [7, 12345, false, null], policy: above(6) });
    await scriptedAgent({ tools: [tool], stores, script: [calls("dump", "dump", "dump", "dump"), "done"] }).run();
    expect(records.size).toBe(0);
  });

  test("that are JSON are kept as JSON, and their images stay with the reference (TOOL-09)", async () => {
    const { stores, records } = valueStore();
    const image: Block = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } };
    const rows = Array.from({ length: 30 }, (_, id) => ({ id }));
    const tool = fakeTool({
      name: "dump",
      results: [rows, content([{ type: "text", text: "x".repeat(60) }, image])],
      policy: above(50),
    });
    const { run } = scriptedAgent({ tools: [tool], stores, script: [calls("dump", "dump"), "done"] });
    const results = resultsOf(await run());
    expect(records.get("run-1/a/0")).toMatchObject({ value: { type: "text", text: JSON.stringify(rows) } });
    expect(results[0]?.artifacts?.[0]?.mediaType).toBe("application/json");
    expect(results[1]?.artifacts?.[0]?.mediaType).toBe("text/plain");
    expect(results[1]?.content[1]).toEqual(image);
  });

  test.each([[above(5)], [{ ...above(5), retry: { maxAttempts: 3 } }]])(
    "end the run when they cannot be kept: nothing is made up, and the tool is not blamed (%j)",
    async (policy) => {
      const { stores } = valueStore({ failing: true });
      const tool = fakeTool({ name: "dump", result: "x".repeat(50), policy });
      const { run } = scriptedAgent({ tools: [tool], stores, script: [calls("dump")] });
      expect((await failureOf(run())).error.code).toBe("store_failed");
      expect(tool.calls).toHaveLength(1);
    },
  );
});

describe("what a tool keeps itself", () => {
  test("is referred to by its result, in the order in which it was given (TOOL-11)", async () => {
    const { stores, records } = valueStore();
    const render = fakeTool({
      name: "render",
      execute: async (_, runtime) => {
        await Promise.all([
          runtime.saveArtifact({ data: "one", mediaType: "text/plain" }),
          runtime.saveArtifact({ data: new Uint8Array([1, 2, 3, 4]), mediaType: "image/png", name: "plot.png" }),
        ]);
        return "two files";
      },
    });
    const { run } = scriptedAgent({ tools: [render], stores, script: [calls("render"), "done"] });
    const [result] = resultsOf(await run());
    expect(result?.artifacts).toEqual([
      { key: ["run-1", "a", "0"], mediaType: "text/plain", bytes: 3 },
      { key: ["run-1", "a", "1"], mediaType: "image/png", bytes: 4, name: "plot.png" },
    ]);
    expect(records.get("run-1/a/0")?.value).toEqual({ type: "text", text: "one" });
    expect(records.get("run-1/a/1")?.value).toEqual({ type: "bytes", bytes: new Uint8Array([1, 2, 3, 4]) });
  });

  test("is found by its reference, by whom ever it was kept: a sub-agent's run has a slash in its id", async () => {
    const { stores } = valueStore();
    const render = fakeTool({
      name: "render",
      execute: (_, runtime) => runtime.saveArtifact({ data: "below", mediaType: "text/plain" }) as Promise<unknown>,
    });
    const child = scriptedAgent({ name: "child", tools: [render], script: [calls("render"), "done"] });
    const tools = [child.agent.asTool({ description: "Renders." })];
    const script = [calls({ name: "child", args: { task: "Render." } }), "done"];
    await scriptedAgent({ tools, stores, script }).run();
    const told = child.model.requests[1]?.messages.at(-1) as ToolMessage;
    expect(told.artifacts).toEqual([{ key: ["run-1/a", "a", "0"], mediaType: "text/plain", bytes: 5 }]);
    const kept = await stores.store("artifacts").get(told.artifacts?.[0]?.key ?? []);
    expect(kept?.value).toEqual({ type: "text", text: "below" });
  });

  test("needs a store: without one the call fails and says what to do", async () => {
    const tool = fakeTool({
      name: "render",
      execute: (_, runtime) => runtime.saveArtifact({ data: "x", mediaType: "text/plain" }),
    });
    const { run } = scriptedAgent({ tools: [tool], script: [calls("render"), "done"] });
    const [result] = resultsOf(await run());
    expect(result?.status).toBe("failed");
    expect(toolText(result as ToolMessage)).toContain("createAgent({ stores");
  });
});

describe("stores of the run", () => {
  test("are the same for tools and middleware, and what is in them reaches the model only through middleware (STO-16)", async () => {
    const { stores } = valueStore({ namespace: "notes" });
    const tool = fakeTool({
      name: "remember",
      execute: async (_, { run }) => {
        await run.stores.store("notes").put(["user"], { type: "text", text: "prefers metric units" });
        return "noted";
      },
    });
    const script = [calls("remember"), "done"];
    const plain = scriptedAgent({ tools: [tool], stores, script });
    await plain.run();
    expect(JSON.stringify(plain.model.requests)).not.toContain("metric");
    const reading = scriptedAgent({
      tools: [tool],
      stores,
      middleware: [
        {
          name: "recall",
          beforeModel: async (request, context) => {
            const note = await context.stores.store("notes").get(["user"]);
            const said = note?.value.type === "text" ? note.value.text : "";
            return {
              replace: {
                ...request,
                messages: [...request.messages, { role: "user", content: [{ type: "text", text: said }] }],
              },
            };
          },
        },
      ],
      script,
    });
    await reading.run();
    expect(JSON.stringify(reading.model.requests[0])).toContain("prefers metric units");
  });

  test("that a run was not given are missed with an error that says what to do (STO-16)", async () => {
    const tool = fakeTool({ name: "remember", execute: (_, { run }) => run.stores.store("notes").get(["a"]) });
    const { run } = scriptedAgent({ tools: [tool], script: [calls("remember"), "done"] });
    expect(toolText(resultsOf(await run())[0] as ToolMessage)).toContain("This run has no stores.");
  });
});
