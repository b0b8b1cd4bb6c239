import { type AgentRun, interrupt, type JsonValue } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { endProblems } from "../support/end-problems.js";
import { historyProblems, keptRuns } from "../support/kept-runs.js";
import { resultStatuses } from "../support/transcript.js";
import { modelByHistory } from "../support/two-tools.js";

const ask = (...names: string[]) => ({ toolCalls: names.map((name) => ({ name, args: { task: "Pay." } })) });

/** A parent above a child above a grandchild that needs approval to pay. New objects each time, as in another process. */
function family(paid: unknown[], depth: number) {
  const pay = fakeTool({
    name: "pay",
    policy: { approval: "always" },
    execute: async (input) => void paid.push(input),
  });
  let agent = createAgent({
    name: "level0",
    model: modelByHistory([{ toolCalls: [{ name: "pay", args: { to: "ann" } }] }, { text: "paid" }]),
    tools: [pay],
    approver: { decide: () => "ask" },
  });
  for (let level = 1; level <= depth; level++) {
    agent = createAgent({
      name: `level${level}`,
      model: modelByHistory([ask(agent.name), { text: `done ${level}` }]),
      tools: [agent.asTool({ description: "Pays." })],
    });
  }
  return agent;
}

const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const answer = (run: AgentRun, value: JsonValue) =>
  Object.fromEntries(run.requests.map(({ id }) => [id, value] as const));

describe.each([1, 2, 3])("a sub-agent %i below that needs approval", (depth) => {
  test("pauses the runs above it, and goes on through them, also in another process (SUB-02, LOOP-16)", async () => {
    const paid: unknown[] = [];
    const events = eventRecorder();
    const paused = await family(paid, depth).invoke("Go.", { runId: "r", events });
    expect(paused.status).toBe("paused");
    expect(paused.requests).toMatchObject([
      { type: "approval", tool: "pay", args: { to: "ann" }, viaCallId: "call_1", runId: `r${"/call_1".repeat(depth)}` },
    ]);
    expect(paid).toEqual([]);
    const run = await family(paid, depth).resume(throughJson(paused.state), {
      answers: answer(paused, { approve: true }),
      events,
    });
    expect([run.status, run.text, paid]).toEqual(["completed", `done ${depth}`, [{ to: "ann" }]]);
    expect(run.counters.toolCalls).toBe(1);
    expect(historyProblems(run)).toBe("");
    expect(endProblems(events.events)).toEqual([]);
    expect(events.ofType("sub_agent.started")).toHaveLength(depth);
    expect(events.ofType("sub_agent.completed")).toHaveLength(depth);
  });

  test("and is refused it, is told so, and its parents go on (SUB-02)", async () => {
    const paid: unknown[] = [];
    const paused = await family(paid, depth).invoke("Go.");
    const run = await family(paid, depth).resume(throughJson(paused.state), {
      answers: answer(paused, { approve: false, reason: "too dear" }),
    });
    expect([run.status, paid]).toEqual(["completed", []]);
  });

  test("goes on from a recorder, by the id of the run at the top (SUB-02)", async () => {
    const paid: unknown[] = [];
    const recorder = keptRuns();
    const paused = await family(paid, depth).invoke("Go.", { runId: "r", recorder });
    const run = await family(paid, depth).resume("r", { recorder, answers: answer(paused, { approve: true }) });
    expect([run.status, paid.length]).toEqual(["completed", 1]);
  });
});

describe("several children that pause in one batch", () => {
  const make = () => {
    const child = (name: string) =>
      createAgent({
        name,
        model: modelByHistory([{ toolCalls: [{ name: "ask" }, { name: "ask" }] }, { text: `${name} knows` }]),
        tools: [fakeTool({ name: "ask", execute: () => interrupt(`${name} asks`) })],
      });
    return createAgent({
      name: "parent",
      model: modelByHistory([ask("one", "two", "look"), { text: "done" }]),
      tools: [
        child("one").asTool({ description: "1" }),
        child("two").asTool({ description: "2" }),
        fakeTool({ name: "look" }),
      ],
    });
  };

  test("all ask at once, and their siblings have run (SUB-02)", async () => {
    const paused = await make().invoke("Go.");
    expect(paused.requests.map((request) => (request.type === "interrupt" ? request.payload : ""))).toEqual([
      "one asks",
      "one asks",
      "two asks",
      "two asks",
    ]);
    expect(new Set(paused.requests.map(({ id }) => id)).size).toBe(4);
    const run = await make().resume(throughJson(paused.state), { answers: answer(paused, "so") });
    expect(resultStatuses(run.messages)).toEqual(["one#call_1 ok", "two#call_2 ok", "look#call_3 ok"]);
    expect(run.counters.toolCalls).toBe(3);
  });

  test("may be answered one at a time: the run waits for the rest (SUB-02)", async () => {
    let run = await make().invoke("Go.");
    for (let answers = 1; answers <= 4; answers++) {
      expect([run.status, run.requests.length]).toEqual(["paused", 5 - answers]);
      const [first] = run.requests;
      run = await make().resume(throughJson(run.state), { answers: { [first?.id ?? ""]: `answer ${answers}` } });
    }
    expect([run.status, run.text]).toEqual(["completed", "done"]);
  });

  test("are given up when something else is said (SUB-02)", async () => {
    const paused = await make().invoke("Go.");
    const run = await make().resume(throughJson(paused.state), { input: "Never mind." });
    expect(resultStatuses(run.messages)).toEqual(["one#call_1 superseded", "two#call_2 superseded", "look#call_3 ok"]);
    expect(run.status).toBe("completed");
  });
});

test("an answer to something that no run of the tree asked is refused (SUB-02)", async () => {
  const paused = await family([], 2).invoke("Go.");
  const wrong = family([], 2).resume(throughJson(paused.state), { answers: { "approval-99": { approve: true } } });
  await expect(wrong).rejects.toMatchObject({ code: "resume_mismatch" });
});
