import { type AgentRun, type AgentState, checkHistory, isEnd, type Message, toolText } from "@tinyagents/core";
import { type OpenAIWireServer, openaiWireServer, type WireReply, type WireRequest } from "@tinyagents/testkit/wire";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type NodeProgram, nodeProgram, type Running } from "../support/node-program.js";
import type { ProgramOptions } from "./program.js";

/** What a process says of a run that has ended. */
type RunResult = Pick<AgentRun, "text" | "messages" | "counters"> & { readonly code?: string };

let program: NodeProgram;
let server: OpenAIWireServer;
/** How often the server falls silent in place of its last answer. */
let silences: number;

beforeEach(async () => {
  silences = 0;
  program = await nodeProgram(new URL("./program.ts", import.meta.url));
  server = await openaiWireServer(reply);
});

afterEach(async () => {
  await server.close();
  await program.remove();
});

/** Answers by how much of the conversation there is: to any process the same. */
function reply({ body }: WireRequest): WireReply {
  const results = (body.messages as readonly { readonly role: string }[]).filter(({ role }) => role === "tool");
  if (results.length === 0)
    return { toolCalls: ["a", "b", "c"].map((key) => ({ id: key, name: "work", args: { key } })) };
  if (silences-- > 0) return { text: "All done.", faults: [{ type: "silence" }] };
  return { text: "All done." };
}

function start(mode: ProgramOptions["mode"], ...hanging: readonly string[]): Running {
  return spawn({ mode, hanging });
}

function spawn(options: Pick<ProgramOptions, "mode"> & Partial<ProgramOptions>): Running {
  return program.start([JSON.stringify({ folder: program.folder, url: server.url, hanging: [], ...options })]);
}

async function result<T = RunResult>(running: Running): Promise<T> {
  return JSON.parse((await running.finished()).at(-1) ?? "");
}
function results(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => (message.role === "tool" ? toolText(message) : []));
}

function begun({ lines }: Running): readonly string[] {
  return lines.filter((line) => line.startsWith("begin ")).sort();
}

describe("a run whose process is killed goes on in another process, from the recorder's log", () => {
  it("in the middle of a batch: calls whose result is recorded are not run again, and the others are", async () => {
    const first = start("start", "b");
    await first.wrote("recorded a", "recorded c", "begin b r1/b");
    await first.kill();
    const second = start("resume");
    const { text, messages, counters } = await result(second);

    expect(begun(first)).toEqual(["begin a r1/a", "begin b r1/b", "begin c r1/c"]);
    expect(begun(second)).toEqual(["begin b r1/b"]);
    expect(results(messages)).toEqual(["a is done", "b is done", "c is done"]);
    expect(checkHistory(messages)).toEqual([]);
    expect(text).toBe("All done.");
    expect(counters).toMatchObject({ modelCalls: 2, toolCalls: 3 });
    expect(server.requests).toHaveLength(2);
  });

  it("while it waits for the model: no tool runs again, and the server sees the connection close", async () => {
    silences = 1;
    const first = start("start");
    const waiting = await server.received(2);
    await first.kill();
    expect(await waiting.ended).toBe("aborted");
    const second = start("resume");
    const { text, messages } = await result(second);

    expect(begun(first)).toHaveLength(3);
    expect(begun(second)).toEqual([]);
    expect(results(messages)).toEqual(["a is done", "b is done", "c is done"]);
    expect(text).toBe("All done.");
    expect(server.requests.map(({ text: sent }) => sent).slice(1)).toEqual([
      server.requests[1]?.text,
      server.requests[1]?.text,
    ]);
  });

  it("again and again, until one process lives long enough", async () => {
    const first = start("start", "a", "b", "c");
    await first.wrote("begin a r1/a", "begin b r1/b", "begin c r1/c");
    await first.kill();
    const second = start("resume", "b", "c");
    await second.wrote("recorded a", "begin b r1/b", "begin c r1/c");
    await second.kill();
    const third = start("resume", "c");
    await third.wrote("recorded b", "begin c r1/c");
    await third.kill();
    const last = start("resume");
    const { messages } = await result(last);

    expect([second, third, last].map((one) => begun(one).length)).toEqual([3, 2, 1]);
    expect(results(messages)).toEqual(["a is done", "b is done", "c is done"]);
    expect(server.requests).toHaveLength(2);
  });
});

it("a run of which every step is done by a fresh process ends with the same history, and runs no tool twice (LOOP-14)", async () => {
  const whole = await result(start("start"));
  const steps: Running[] = [];
  let state: AgentState;
  do {
    const next = start("step");
    steps.push(next);
    state = await result<AgentState>(next);
  } while (!isEnd(state.phase));

  expect(steps.map((one) => begun(one).length).filter((calls) => calls > 0)).toEqual([3]);
  expect(steps.length).toBeGreaterThan(6);
  expect(state.phase).toBe("done");
  expect(said(state.messages)).toEqual(said(whole.messages));
});

/** A history without its times. */
function said(messages: readonly Message[]): unknown {
  return messages.map(({ role, content }) => [role, content]);
}

describe("a run that is alive in one process", () => {
  const HOUR = 3_600_000;

  it("is refused to another, which does nothing; once its owner is killed and its lease has run out, it goes on there (LOOP-14)", async () => {
    const owner = spawn({ mode: "start", hanging: ["b"], leaseMs: HOUR });
    await owner.wrote("recorded a", "recorded c", "begin b r1/b");
    const tooEarly = spawn({ mode: "resume", leaseMs: HOUR });
    expect(await result(tooEarly)).toMatchObject({ code: "conflict" });
    await owner.kill();
    const stillEarly = spawn({ mode: "resume", leaseMs: HOUR });
    expect(await result(stillEarly)).toMatchObject({ code: "conflict" });
    const heir = spawn({ mode: "resume", leaseMs: HOUR, aheadMs: HOUR });
    const { text, messages, counters } = await result(heir);

    expect(text).toBe("All done.");
    expect([owner, tooEarly, stillEarly, heir].map(begun)).toEqual([
      ["begin a r1/a", "begin b r1/b", "begin c r1/c"],
      [],
      [],
      ["begin b r1/b"],
    ]);
    expect(results(messages)).toEqual(["a is done", "b is done", "c is done"]);
    expect(counters).toMatchObject({ modelCalls: 2, toolCalls: 3 });
    expect(server.requests).toHaveLength(2);
  });

  it("and asleep for longer than its lease is taken over; when it wakes up it ends with conflict (DG-11)", async () => {
    const owner = spawn({ mode: "start", hanging: ["b"], leaseMs: 1_500 });
    await owner.wrote("recorded a", "recorded c", "begin b r1/b");
    owner.sleep();
    const heir = spawn({ mode: "resume", leaseMs: 1_500, aheadMs: HOUR });
    expect((await result(heir)).text).toBe("All done.");
    owner.wake();
    expect(await result(owner)).toMatchObject({ code: "conflict" });

    const late = spawn({ mode: "resume", leaseMs: 1_500, aheadMs: HOUR });
    expect(await result(late)).toMatchObject({ code: "resume_mismatch" });
    expect([begun(owner).length, begun(heir), begun(late)]).toEqual([3, ["begin b r1/b"], []]);
    expect(server.requests).toHaveLength(2);
  });
});
