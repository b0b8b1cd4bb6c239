import {
  checkHistory,
  isEnd,
  isTinyAgentsError,
  type JsonObject,
  type JsonValue,
  type RandomSource,
  readAgentState,
} from "@tinyagents/core";
import { runOf } from "@tinyagents/harness";
import { seededRandom } from "@tinyagents/testkit";
import { beforeAll, expect, it } from "vitest";
import { anyAgent, validStates } from "../support/valid-states.js";

let states: readonly JsonObject[] = [];

beforeAll(async () => {
  states = await validStates();
});

const ODD: readonly JsonValue[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  "",
  "x",
  "tools",
  "paused",
  "done",
  [],
  {},
  [null],
  [{}],
  { type: "text" },
];

interface Place {
  readonly holder: { [key: string]: JsonValue };
  readonly key: string;
}

function places(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  const holder = value as { [key: string]: JsonValue };
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...places(holder[key])]);
}

function pick<T>(items: readonly T[], random: RandomSource): T {
  return items[Math.floor(random() * items.length)] as T;
}

/** Changes up to three values of a state: to odd ones, to ones from elsewhere in it, or to none. Says which. */
function damage(state: JsonObject, random: RandomSource): string {
  const said: string[] = [];
  for (let n = 0; n <= random() * 3; n++) {
    const all = places(state);
    const { holder, key } = pick(all, random);
    const how = random();
    if (how < 0.2) {
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
    } else if (how < 0.4) {
      const from = pick(all, random);
      holder[key] = structuredClone(from.holder[from.key] ?? null);
    } else holder[key] = structuredClone(pick(ODD, random));
    said.push(`${key} = ${JSON.stringify(holder[key])?.slice(0, 60)}`);
  }
  return said.join(", ");
}

async function outcomeOf(state: JsonObject): Promise<"refused" | "ended" | "paused"> {
  const agent = anyAgent();
  try {
    const read = readAgentState(JSON.stringify(state));
    const problems = checkHistory(read.messages);
    if (!isEnd(read.phase)) {
      // What a driver does, with no end to its patience but a number of steps.
      let stepped = readAgentState(JSON.stringify(state));
      for (let i = 0; !isEnd(stepped.phase); i++) {
        if (i > 200) throw new Error("it goes on for ever");
        stepped = await agent.step(stepped);
      }
      if (stepped.phase !== "paused" && checkHistory(stepped.messages).length > 0)
        throw new Error("its history is broken");
    }
    const run = await anyAgent().resume(read);
    if (run.status === "paused") return "paused";
    if (checkHistory(run.messages).length > 0)
      throw new Error(`its history is broken: ${JSON.stringify([problems, run.messages])}`);
    return "ended";
  } catch (error) {
    if (!isTinyAgentsError(error)) throw error;
    if (isTinyAgentsError(error, "internal")) throw error;
    const run = runOf(error);
    if (run !== undefined && checkHistory(run.messages).length > 0) throw new Error("its history is broken");
    return "refused";
  }
}

it("reads or refuses any damaged state, and what it reads comes to an end with a whole history", async () => {
  const random = seededRandom(2_024);
  const outcomes = { refused: 0, ended: 0, paused: 0 };
  const wrong: string[] = [];
  for (let i = 0; i < 3_000; i++) {
    const state = structuredClone(pick(states, random));
    const damaged = damage(state as never, random);
    try {
      outcomes[await outcomeOf(state)]++;
    } catch (error) {
      wrong.push(
        `${damaged}\n    ${error instanceof Error ? error.stack?.split("\n").slice(0, 3).join(" | ") : error}`,
      );
    }
  }
  expect(wrong.slice(0, 12).join("\n")).toBe("");
  expect(wrong).toEqual([]);
  expect(outcomes.refused).toBeGreaterThan(500);
  expect(outcomes.ended).toBeGreaterThan(100);
}, 60_000);

it("reads or refuses any text in a state's place", () => {
  const random = seededRandom(7);
  const texts = states.map((state) => JSON.stringify(state));
  for (let i = 0; i < 500; i++) {
    const text = pick(texts, random);
    const at = Math.floor(random() * text.length);
    const broken = [text.slice(0, at), text.slice(at), text.slice(0, at) + text.slice(at + 1), `${text}${text}`];
    for (const candidate of broken) {
      try {
        readAgentState(candidate);
      } catch (error) {
        if (!isTinyAgentsError(error)) throw error;
        expect(["corrupt_data", "version_mismatch"]).toContain(error.code);
      }
    }
  }
});
