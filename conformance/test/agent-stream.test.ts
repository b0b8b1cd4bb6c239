import { agentStreamChecks, agentStreamUnderTest, checkAgentStream } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import { memoryAgent } from "./memory-agent.js";
import { runOne } from "./run-one.js";
import { streamFaults } from "./stream-faults.js";

const NAMES = agentStreamChecks.map(({ name }) => name);

describe("CNF-01 the stream suite", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(streamFaults).sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound loop", async () => {
    const report = await checkAgentStream(memoryAgent());
    expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
    expect(report).toMatchObject({ subject: "memory", ok: true, passed: NAMES.length, failed: 0, skipped: 0 });
  });

  it("skips the modes that a loop does not have, and says why", async () => {
    const report = await checkAgentStream({ ...memoryAgent(), cannot: { cost: "nothing has a price here" } });
    expect(report.results.filter(({ status }) => status === "skipped")).toEqual([
      expect.objectContaining({ name: expect.stringContaining("mode cost"), message: "nothing has a price here" }),
    ]);
  });
});

describe("a loop with one fault is found out by the check", () => {
  for (const [name, fault] of Object.entries(streamFaults)) {
    it(name, async () => {
      const result = await runOne(agentStreamChecks, name, () => agentStreamUnderTest(memoryAgent(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.not.stringContaining("was not done within") });
    });
  }
});
