import { type AgentRun, type AgentState, checkHistory, isEnd, type Message, toolText } from "@tinyagents/core";
import { type OpenAIWireServer, openaiWireServer, type WireReply, type WireRequest } from "@tinyagents/testkit/wire";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type NodeProgram, nodeProgram, type Running } from "../support/node-program.js";
import type { ProgramOptions } from "./program.js";

/** What a process says of a run that has ended. */
type RunResult = Pick<AgentRun, "text" | "messages" | "counters">;

let program: NodeProgram;
let server: OpenAIWireServer;
/** How often the server falls silent in place of its last answer. */
let silences: number;
/** How many processes have begun. Each is an hour ahead of the one before it. */
let started: number;
const HOUR = 3_600_000;

beforeEach(async () => {
  silences = 0;
  started = 0;
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
  const options: ProgramOptions = { folder: program.folder, url: server.url, mode, hanging, aheadMs: HOUR * started++ };
  return program.start([JSON.stringify(options)]);
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
