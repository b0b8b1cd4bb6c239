import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, watch } from "node:fs";
import { type AgentState, checkHistory, isEnd, type Message, readAgentState } from "@tinyagents/core";
import { afterEach, expect, it } from "vitest";
import { type Program, program } from "../support/programs.js";
import { resultStatuses, transcript } from "../support/transcript.js";
import { TWO_TOOL_TRANSCRIPT, twoToolAgent } from "../support/two-tools.js";

let programs: Program[] = [];

async function ready(name: string): Promise<Program> {
  const made = await program(name);
  programs.push(made);
  return made;
}

afterEach(async () => {
  await Promise.all(programs.map((made) => made.remove()));
  programs = [];
});

it("comes to the same transcript, and runs no tool call twice, when every step is done by a fresh process (LOOP-14)", async () => {
  const child = await ready("step-once");
  const ran: string[] = [];
  let state = twoToolAgent([]).initialState("What do I wear in Oslo?");
  let processes = 0;
  while (!isEnd(state.phase)) {
    const moved = JSON.parse(await child.run([], JSON.stringify(state))) as { state: AgentState; ran: string[] };
    state = readAgentState(JSON.stringify(moved.state));
    ran.push(...moved.ran);
    processes++;
  }
  expect(processes).toBe(11);
  expect(transcript(state.messages)).toEqual(TWO_TOOL_TRANSCRIPT);
  expect(ran).toEqual(["call_1", "call_2"]);
}, 60_000);

it("repeats no finished call of a batch in which its process was killed, and goes on to a whole history (LOOP-14)", async () => {
  const { folder, start, run } = await ready("run-batch");
  await killed(
    start([folder, "start", "b", "d"]),
    () => lines(folder).filter((line) => line.startsWith("end ")).length === 3,
  );
  await killed(start([folder, "resume", "d"]), () => lines(folder).includes("end b"));
  const { text, messages } = JSON.parse(await run([folder, "resume"])) as {
    text: string;
    messages: readonly Message[];
  };

  expect(text).toBe("All five are done.");
  expect(checkHistory(messages)).toEqual([]);
  expect(resultStatuses(messages)).toEqual([1, 2, 3, 4, 5].map((n) => `work#call_${n} ok`));
  const begun = lines(folder).filter((line) => line.startsWith("begin "));
  expect(begun.slice(0, 5)).toEqual(["a", "b", "c", "d", "e"].map((key, n) => `begin ${key} run-1/call_${n + 1}`));
  expect(begun.slice(5)).toEqual(["begin b run-1/call_2", "begin d run-1/call_4", "begin d run-1/call_4"]);
}, 60_000);

function lines(folder: string): readonly string[] {
  const file = `${folder}/ran.txt`;
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

/** Kills a process, by the signal that it cannot notice, once it is far enough. */
function killed(child: ChildProcess, farEnough: () => boolean): Promise<void> {
  const folder = child.spawnargs.at(2) ?? "";
  return new Promise((resolve, reject) => {
    const watcher = watch(folder, () => look());
    const look = (): void => {
      if (recorded(folder) && farEnough()) child.kill("SIGKILL");
    };
    child.on("error", reject);
    child.on("exit", (_code, signal) => {
      watcher.close();
      if (signal === "SIGKILL") resolve();
      else reject(new Error("the process ended before it was killed"));
    });
    look();
  });
}

/** Whether every call that ended has its result recorded: only then does it count as done. */
function recorded(folder: string): boolean {
  const file = `${folder}/run.jsonl`;
  if (!existsSync(file)) return false;
  const results = readFileSync(file, "utf8").split('"type":"result"').length - 1;
  return results >= lines(folder).filter((line) => line.startsWith("end ")).length;
}
