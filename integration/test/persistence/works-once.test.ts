import {
  type AgentRun,
  type AgentState,
  askWhenResumed,
  interrupt,
  type JsonValue,
  type LeasingRecorder,
  manualClock,
  type ToolRuntime,
} from "@tinyagents/core";
import { type Agent, createAgent } from "@tinyagents/harness";
import { failAt, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { sharedLog } from "./shared-log.js";

/** What paying does, given the key under which it may be done once. */
type Pay = (runtime: ToolRuntime) => unknown;

/** An agent that asks before it pays, as each process makes it anew. */
function payer(recorder: LeasingRecorder | undefined, pay: Pay): Agent {
  const pays = fakeTool({ name: "pay", policy: { approval: "always" }, execute: (_, runtime) => pay(runtime) });
  return agentWith(pays, recorder);
}

/** An agent that calls a tool, so many times at once, and is done. */
function agentWith(tool: ReturnType<typeof fakeTool>, recorder: LeasingRecorder | undefined, calls = 1): Agent {
  const toolCalls = Array.from({ length: calls }, () => ({ name: tool.spec.name }));
  const model = scriptedModel([({ messages }) => (messages.length === 1 ? { toolCalls } : "Done."), "Done."]);
  return createAgent({
    name: "payer",
    model,
    tools: [tool],
    approver: askWhenResumed,
    recorder,
    clock: manualClock(),
  });
}

/** A run that waits for a yes. */
async function paused() {
  const shared = sharedLog();
  const keys: string[] = [];
  const pay: Pay = ({ idempotencyKey }) => void keys.push(idempotencyKey);
  const run = await payer(shared.recorder(), pay).invoke("Pay.", { runId: "r1" });
  return { ...shared, run, pay, keys };
}

function answers(run: AgentRun, value: JsonValue): { readonly [id: string]: JsonValue } {
  return Object.fromEntries(run.requests.map(({ id }) => [id, value]));
}

/** The state as a database gives it: each time another object. */
function stored({ state }: AgentRun): AgentState {
  return JSON.parse(JSON.stringify(state)) as AgentState;
}

const YES = { approve: true };
const NO = { approve: false, reason: "too dear" };

/** How runs came out: their status, or the code of their error. */
async function outcomes(runs: readonly Promise<AgentRun>[]): Promise<readonly string[]> {
  const ended = runs.map((run) =>
    run.then(
      ({ status }) => status,
      ({ code }) => String(code),
    ),
  );
  return (await Promise.all(ended)).sort();
}

describe("a paused state with a recorder that gives leases works once (SE-07)", () => {
  it.each(["in its process", "in another process"])("when it is resumed again later, %s", async (where) => {
    const { recorder, run, pay, keys } = await paused();
    const one = recorder();
    const other = where === "in its process" ? one : recorder();
    await payer(one, pay).resume(stored(run), { answers: answers(run, YES) });
    for (const said of [YES, NO]) {
      const again = payer(other, pay).resume(stored(run), { answers: answers(run, said) });
      await expect(again).rejects.toMatchObject({ code: "resume_mismatch" });
    }
    expect(keys).toEqual(["r1/call_1"]);
  });

  it.each(["in one process", "in several processes"])("when it is resumed three times at once, %s", async (where) => {
    const { recorder, run, pay, keys } = await paused();
    const shared = recorder();
    const resumed = ["r1", stored(run), stored(run)].map((state) =>
      payer(where === "in one process" ? shared : recorder(), pay).resume(state, { answers: answers(run, YES) }),
    );
    expect(await outcomes(resumed)).toEqual(["completed", "conflict", "conflict"]);
    expect(keys).toEqual(["r1/call_1"]);
  });

  it("also when the process that resumed it first was killed in the approved call: by its id alone the run goes on", async () => {
    const { recorder, clock, run, pay, keys } = await paused();
    const begun = new Promise<void>((resolve) => {
      const killed = payer(recorder(), () => new Promise(() => resolve()));
      void killed.resume(stored(run), { answers: answers(run, YES) });
    });
    await begun;
    const again = () => payer(recorder(), pay).resume(stored(run), { answers: answers(run, NO) });
    await expect(again()).rejects.toMatchObject({ code: "conflict" });
    await clock.advance(60_000);
    await expect(again()).rejects.toMatchObject({ code: "resume_mismatch" });
    expect(keys).toEqual([]);
    expect((await payer(recorder(), pay).resume("r1")).status).toBe("completed");
    expect(keys).toEqual(["r1/call_1"]);
  });

  it("also when the recorder first hears of the run by its resumption", async () => {
    const { recorder } = sharedLog();
    const keys: string[] = [];
    const pay: Pay = ({ idempotencyKey }) => void keys.push(idempotencyKey);
    const run = await payer(undefined, pay).invoke("Pay.", { runId: "r1" });
    const resumed = [1, 2].map(() => payer(recorder(), pay).resume(stored(run), { answers: answers(run, YES) }));
    expect(await outcomes(resumed)).toEqual(["completed", "conflict"]);
    const late = payer(recorder(), pay).resume(stored(run), { answers: answers(run, YES) });
    await expect(late).rejects.toMatchObject({ code: "resume_mismatch" });
    expect(keys).toHaveLength(1);
  });

  it("also for a question whose answer takes no event number, when the process died right after it had the answer", async () => {
    const { recorder, log, clock } = sharedLog();
    const heard: unknown[] = [];
    const asking = fakeTool({
      name: "ask",
      execute: (_, { resumed }) =>
        resumed === undefined ? interrupt("Where?", { state: {} }) : void heard.push(resumed.answers.answer),
    });
    const run = await agentWith(asking, recorder()).invoke("Ask.", { runId: "r1" });
    const dying = failAt(log, 3, { stayDown: true });
    const died = agentWith(asking, recorder(dying.subject)).resume(stored(run), { answers: answers(run, "here") });
    await expect(died).rejects.toMatchObject({ code: "store_failed" });
    await clock.advance(60_000);
    heard.length = 0;
    const again = agentWith(asking, recorder()).resume(stored(run), { answers: answers(run, "there") });
    await expect(again).rejects.toMatchObject({ code: "resume_mismatch" });
    await agentWith(asking, recorder()).resume("r1");
    expect(heard).toEqual(["here"]);
  });

  it("also when only one of its questions was answered: the other one is a question of the state that came then", async () => {
    const { recorder } = sharedLog();
    const heard: unknown[] = [];
    const asking = fakeTool({
      name: "ask",
      execute: (_, { resumed }) =>
        resumed === undefined ? interrupt("Where?", { state: {} }) : void heard.push(resumed.answers.answer),
    });
    const agent = () => agentWith(asking, recorder(), 2);
    const run = await agent().invoke("Ask.", { runId: "r1" });
    const [first, second] = run.requests.map(({ id }) => id) as [string, string];
    const half = await agent().resume(stored(run), { answers: { [first]: "here" } });
    expect(half.requests.map(({ id }) => id)).toEqual([second]);
    const again = agent().resume(stored(run), { answers: { [first]: "elsewhere", [second]: "there" } });
    await expect(again).rejects.toMatchObject({ code: "resume_mismatch" });
    await agent().resume(stored(half), { answers: { [second]: "there" } });
    expect(heard).toEqual(["here", "there"]);
  });
});

describe("a paused state without such a recorder", () => {
  it("works each time that it is resumed: whoever keeps it must drop it", async () => {
    const keys: string[] = [];
    const pay: Pay = ({ idempotencyKey }) => void keys.push(idempotencyKey);
    const run = await payer(undefined, pay).invoke("Pay.", { runId: "r1" });
    for (let time = 0; time < 2; time++) {
      await payer(undefined, pay).resume(stored(run), { answers: answers(run, YES) });
    }
    expect(keys).toEqual(["r1/call_1", "r1/call_1"]);
  });
});
