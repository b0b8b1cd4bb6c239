import { type AgentStreamItem, type StreamMode, text, toolCalls } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { playedModel } from "./played-model.js";
import { ALL_MODES, itemsOf, modeOf } from "./read.js";
import type { AgentStreamUnderTest } from "./subject.js";
import { ANSWERED, CALLS, restartingTurn } from "./turns.js";

/** Modes of which a run has items whatever the agent is made of. */
const SURE: ReadonlySet<StreamMode> = new Set(["messages", "tools", "usage", "updates", "events", "final"]);

function modeCheck(mode: StreamMode): Check<AgentStreamUnderTest> {
  return {
    name: `has items of the mode ${mode} where they are asked for, and no others`,
    group: "modes",
    needs: [mode],
    async run(subject) {
      const items = await itemsOf(subject.stream([mode]));
      const strange = items.find((item) => modeOf(item) !== mode);
      assertEqual(strange?.type, undefined, `an item that does not belong to the mode ${mode}`);
      assert(items.length > 0 || !SURE.has(mode), `the mode ${mode} has no item`);
    },
  };
}

/** What the fragments before a message of the model add up to, once restarts are obeyed. */
function addedUp(items: readonly AgentStreamItem[], callId: string): { text: string; args: string } {
  let sum = { text: "", args: "" };
  for (const item of items) {
    if (!("callId" in item) || item.callId !== callId) continue;
    if (item.type === "message") break;
    if (item.type === "restart") sum = { text: "", args: "" };
    if (item.type === "text") sum.text += item.text;
    if (item.type === "tool_call_args") sum.args += item.args;
  }
  return sum;
}

function checkSums(items: readonly AgentStreamItem[], messages: number): void {
  const told = items.filter((item) => item.type === "message" && item.message.role === "assistant");
  assertEqual(told.length, messages, "messages of the model");
  for (const item of told) {
    if (item.type !== "message") continue;
    const args = toolCalls(item.message).map((call) => JSON.stringify(call.args));
    const expected = { text: text(item.message), args: args.join("") };
    assertEqual(addedUp(items, item.callId), expected, `the fragments of ${item.callId}, against its message`);
  }
}

/** Which items there are, and what they add up to. */
export const itemChecks: readonly Check<AgentStreamUnderTest>[] = [
  ...ALL_MODES.map(modeCheck),
  {
    name: "has the same items of a mode, alone or among others",
    group: "modes",
    async run(subject) {
      const modes: StreamMode[] = [];
      for (const mode of ALL_MODES) if ((await subject.lacks(mode)) === undefined) modes.push(mode);
      const together = await itemsOf(subject.stream(modes));
      for (const mode of modes) {
        const alone = (await itemsOf(subject.stream([mode]))).map(({ type }) => type);
        const among = together.filter((item) => modeOf(item) === mode).map(({ type }) => type);
        assertEqual(among, alone, `items of the mode ${mode} among others, against those alone`);
      }
    },
  },
  {
    name: "has fragments that add up to each message",
    group: "messages",
    needs: ["messages"],
    run: async (subject) => checkSums(await itemsOf(subject.stream(["messages"])), 2),
  },
  {
    name: "tells of a restart, after which the fragments add up anew",
    group: "messages",
    needs: ["messages"],
    async run(subject) {
      const items = await itemsOf(subject.stream(["messages"], { model: playedModel(restartingTurn) }));
      assertEqual(items.filter(({ type }) => type === "restart").length, 1, "restarts");
      checkSums(items, 1);
    },
  },
  {
    name: "has one result for each tool that was started, after its start",
    group: "tools",
    needs: ["tools"],
    async run(subject) {
      const items = await itemsOf(subject.stream(["tools"]));
      const of = (type: "tool_started" | "tool_result"): readonly string[] =>
        items.flatMap((item) => (item.type === type ? [item.callId] : []));
      assertEqual(of("tool_started").length, CALLS.length, "tools that were started");
      assertEqual(of("tool_result").toSorted(), of("tool_started").toSorted(), "calls with a result");
      for (const callId of of("tool_started")) {
        const types = items.flatMap((item) => ("callId" in item && item.callId === callId ? [item.type] : []));
        assertEqual([types[0], types.at(-1)], ["tool_started", "tool_result"], `first and last item of ${callId}`);
      }
      assertEqual(statuses(items), ["failed", "ok"], "how the tools came out");
    },
  },
  {
    name: "tells of calls, tools, results and the answer in that order",
    group: "order",
    needs: ["messages", "tools"],
    async run(subject) {
      const items = await itemsOf(subject.stream(["messages", "tools"]));
      const places = {
        asked: items.findIndex(({ type }) => type === "message"),
        started: items.findIndex(({ type }) => type === "tool_started"),
        done: items.findLastIndex(({ type }) => type === "tool_result"),
        answered: items.findLastIndex(({ type }) => type === "message"),
      };
      const order = Object.values(places);
      const rising = order.every((place, at) => place > (order[at - 1] ?? -1));
      assert(rising, `message, tools, message is the order: ${JSON.stringify(places)}`);
    },
  },
  {
    name: "has the totals after each model call",
    group: "usage",
    needs: ["usage"],
    async run(subject) {
      const items = await itemsOf(subject.stream(["usage"]));
      const totals = items.flatMap((item) =>
        item.type === "usage" ? [[item.usage.modelCalls, item.usage.inputTokens, item.usage.outputTokens]] : [],
      );
      assertEqual(
        totals,
        [
          [1, 3, 2],
          [2, 10, 6],
        ],
        "model calls, input and output tokens",
      );
    },
  },
  {
    name: "has the final item once, at the very end, with the run",
    group: "final",
    needs: ["final"],
    async run(subject) {
      const items = await itemsOf(subject.stream(["messages", "final"]));
      assertEqual(items.filter(({ type }) => type === "final").length, 1, "final items");
      const last = items.at(-1);
      assert(last?.type === "final", `the last item is ${last?.type}`);
      assertEqual([last.run.status, last.run.text], ["completed", ANSWERED], "status and text of the run");
    },
  },
];

function statuses(items: readonly AgentStreamItem[]): readonly string[] {
  return items.flatMap((item) => (item.type === "tool_result" ? [item.result.status] : [])).toSorted();
}
