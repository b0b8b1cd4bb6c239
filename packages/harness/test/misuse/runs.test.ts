import type { AgentInput, StreamMode } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { keptRuns } from "../support/kept-runs.js";
import { scriptedAgent } from "../support/tool-runs.js";

describe("a mode that there is not", () => {
  const modes = ["messages", "tokens"] as unknown as readonly StreamMode[];
  const listed = /modes: there is no "tokens"; there are: messages, tools, usage, cost, updates, events, final/;

  test("is a TypeError of stream, subscribe and resumeStream, at once", async () => {
    const { agent } = scriptedAgent({ script: ["done"] });
    expect(() => agent.stream("Go.", { modes })).toThrow(TypeError);
    expect(() => agent.stream("Go.", { modes })).toThrow(listed);
    expect(() => agent.resumeStream("run-1", { modes })).toThrow(listed);
    const handle = agent.start("Go.");
    expect(() => handle.subscribe({ modes })).toThrow(listed);
    expect((await handle.result).text).toBe("done");
  });

  test("is a text in place of a list, too", () => {
    const { agent } = scriptedAgent({ script: ["done"] });
    expect(() => agent.stream("Go.", { modes: "messages" as unknown as readonly StreamMode[] })).toThrow(
      /modes: a list is expected/,
    );
  });
});

test("a list of messages inside an object is told that it goes in directly", () => {
  const { agent } = scriptedAgent({ script: ["done"] });
  const input = { messages: [{ role: "user", content: "Go." }] } as unknown as AgentInput;
  expect(() => agent.invoke(input)).toThrow(/a list of messages goes in directly/);
});

describe("a state in place of a run's id", () => {
  test.each([
    ["JSON", '  {"v":1,"messages":["secret"]}'],
    ["JSON in JSON", '"{secret}"'],
    ["a long text", `secret${"x".repeat(200)}`],
  ])("is refused, and not shown: %s", async (_, text) => {
    for (const recorder of [undefined, keptRuns()]) {
      const { agent } = scriptedAgent({ script: ["done"], recorder });
      const error: unknown = await agent.resume(text).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: "resume_mismatch",
        details: { reason: "this looks like a state: read it with readAgentState" },
      });
      expect(JSON.stringify([String(error), error])).not.toContain("secret");
    }
  });

  test("is not a long id that the recorder knows", async () => {
    const recorder = keptRuns();
    const { agent } = scriptedAgent({ script: ["done"], recorder });
    const runId = `run-${"1".repeat(250)}`;
    await agent.invoke("Go.", { runId });
    await expect(agent.resume(runId)).rejects.toMatchObject({
      details: { reason: expect.not.stringContaining("looks like a state") },
    });
  });
});
