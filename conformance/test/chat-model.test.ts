import {
  type ChatModelSubject,
  type CheckResult,
  chatModelChecks,
  checkChatModel,
  formatReport,
  modelUnderTest,
} from "@tinyagents/conformance";
import type { Capability, ChatModel } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { faults } from "./faults.js";
import { memorySubject } from "./memory-subject.js";
import { runOne } from "./run-one.js";

/** Runs one check on a subject. */
function run(name: string, subject: ChatModelSubject): Promise<CheckResult> {
  return runOne(chatModelChecks, name, () => modelUnderTest(subject));
}

const NAMES = chatModelChecks.map(({ name }) => name);

it("every model check has a name of its own, and a fault that it must find", () => {
  expect(new Set(NAMES).size).toBe(NAMES.length);
  expect(Object.keys(faults).sort()).toEqual(NAMES.toSorted());
});

it("a sound model passes every check", async () => {
  const report = await checkChatModel(memorySubject());
  expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
  expect(report).toMatchObject({ ok: true, passed: NAMES.length, failed: 0, skipped: 0 });
});

describe("a model with one fault is found out by the check", () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(name, async () => {
      expect(await run(name, memorySubject(fault))).toMatchObject({ status: "failed", message: expect.any(String) });
    });
  }
});

describe("a capability that is not claimed", () => {
  const { profile } = memorySubject().create({ scenario: "text", url: undefined, apiKey: "" }) as ChatModel;
  const lacking = (capability: Capability, change?: (model: ChatModel) => ChatModel): ChatModelSubject =>
    memorySubject(change, { ...profile, capabilities: { ...profile.capabilities, [capability]: "unknown" } });

  it("is reported as skipped, with the reason, and never as passed", async () => {
    const report = await checkChatModel(lacking("tools"));
    const tools = report.results.filter(({ group }) => group === "tools");
    expect(tools.filter(({ status }) => status === "passed").map(({ name }) => name)).toEqual([
      "streams the arguments of a call as they come",
    ]);
    expect(tools[0]).toMatchObject({
      status: "skipped",
      message: "the profile does not claim tools: it says unknown",
    });
    expect(report.ok).toBe(true);
  });

  it("must be refused when a request requires it", async () => {
    const fault = faults["refuses a request for what its profile does not affirm"];
    const check = "gives a tool call with its id, name and arguments";
    expect(await run(check, lacking("tools", fault))).toMatchObject({ status: "failed" });
  });
});

it("a subject without a wire, or without a scenario, is asked only what can be asked of it", async () => {
  const { wire: _, ...alone } = memorySubject();
  const subject = { ...alone, cannot: { stall: "nothing here ever waits" } };
  const left = await run("closes the connection when the reader leaves", subject);
  expect(left).toMatchObject({ status: "skipped", message: "nothing here ever waits" });
  const sent = await run("sends system instructions", subject);
  expect(sent).toMatchObject({ status: "skipped", message: "this subject has no wire that records requests" });
});

it("a report for people has a line for each check, the reasons, and the sums", async () => {
  const fault = faults["reports input and output tokens"];
  const lines = formatReport(await checkChatModel(memorySubject(fault))).split("\n");
  expect(lines[0]).toBe("memory");
  expect(lines).toContain("  FAIL  reports input and output tokens");
  expect(lines.find((line) => line.includes("is expected"))).toContain("usage (incremental) at inputTokens: 12");
  expect(lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed, 0 skipped$/);
});
