import type { AgentStreamItem, StreamMode } from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import { turns } from "../chat-model/in-progress.js";
import type { Check } from "../check.js";
import { type PlayedModel, playedModel } from "./played-model.js";
import { itemsOf, outcomeOf } from "./read.js";
import { type AgentStreamUnderTest, busyModel } from "./subject.js";
import { ASKED, failingTurn, waitingTurn } from "./turns.js";

/** Reads up to the first text. */
async function untilText(items: AsyncIterator<AgentStreamItem>): Promise<void> {
  for (let next = await items.next(); next.done !== true; next = await items.next()) {
    if (next.value.type === "text") return;
  }
  assert(false, "the stream ended before it had any text");
}

/** A stream that is being read while its model waits. */
async function waiting(
  subject: AgentStreamUnderTest,
  signal?: AbortSignal,
): Promise<{ readonly items: AsyncIterator<AgentStreamItem>; readonly model: PlayedModel }> {
  const model = playedModel(waitingTurn);
  const items = subject.stream(["messages"], { model, signal })[Symbol.asyncIterator]();
  for (let read = 0; read < ASKED.split(" ").length; read++) await untilText(items);
  return { items, model };
}

function runIdOf(item: AgentStreamItem): string {
  if (item.type === "event") return item.event.runId;
  return item.type === "final" ? item.run.runId : item.runId;
}

/** Both in order, so that one list can be compared with another. */
const WATCHED: readonly StreamMode[] = ["messages", "events"];

/** How a run goes, and how it is stopped. */
export const runningChecks: readonly Check<AgentStreamUnderTest>[] = [
  {
    name: "names the run in every item, always the same",
    group: "order",
    async run(subject) {
      const ids = new Set((await itemsOf(subject.stream(["messages", "tools", "usage", "final"]))).map(runIdOf));
      assertEqual(ids.size, 1, "how many runs the items name");
      assert(!ids.has(""), "the run has an empty name");
    },
  },
  {
    name: "gives events ids of their own, and numbers that rise",
    group: "events",
    needs: ["events"],
    async run(subject) {
      const events = (await itemsOf(subject.stream(["events"]))).flatMap((item) =>
        item.type === "event" ? [item.event] : [],
      );
      assertEqual(new Set(events.map(({ id }) => id)).size, events.length, "how many ids the events have");
      for (const [at, { seq, type }] of events.entries()) {
        assert(at === 0 || seq >= (events[at - 1]?.seq ?? 0), `the number of ${type} falls: ${seq}`);
      }
      const numbered = new Set(events.filter(({ type }) => type !== "model.delta").map(({ seq }) => seq));
      assertEqual(numbered.size, events.filter(({ type }) => type !== "model.delta").length, "numbers of the events");
    },
  },
  {
    name: "gives each event of a run that was never resumed the first attempt",
    group: "events",
    needs: ["events"],
    async run(subject) {
      for (const item of await itemsOf(subject.stream(["events"]))) {
        if (item.type === "event") assertEqual(item.event.attempt, 1, `the attempt of ${item.event.type}`);
      }
    },
  },
  {
    name: "begins its events with run.started and ends them with run.completed",
    group: "events",
    needs: ["events"],
    async run(subject) {
      const types = (await itemsOf(subject.stream(["events"]))).flatMap((item) =>
        item.type === "event" ? [item.event.type] : [],
      );
      assertEqual([types[0], types.at(-1)], ["run.started", "run.completed"], "the first and the last event");
      const ends = types.filter((type) => type === "run.completed" || type === "run.failed");
      assertEqual(ends.length, 1, "events that end the run");
    },
  },
  {
    name: "starts nothing before it is read",
    group: "running",
    async run(subject) {
      const model = busyModel();
      const items = subject.stream(["messages"], { model })[Symbol.asyncIterator]();
      await turns(2);
      assertEqual(model.begun, 0, "model calls before the first item is asked for");
      await items.return?.();
    },
  },
  {
    name: "stops the model when its reader leaves",
    group: "running",
    needs: ["messages"],
    async run(subject) {
      const { items, model } = await waiting(subject);
      assertEqual(model.open, 1, "model calls under way");
      await items.return?.();
      await turns(2);
      assertEqual(model.open, 0, "model calls under way after the reader left");
    },
  },
  {
    name: "stops the model, and fails with cancelled, when its signal aborts",
    group: "running",
    needs: ["messages"],
    async run(subject) {
      const controller = new AbortController();
      const { items, model } = await waiting(subject, controller.signal);
      const next = items.next();
      next.catch(() => undefined);
      controller.abort();
      await assertFails(next, "cancelled", "the stream of a run that is cancelled");
      assertEqual(model.open, 0, "model calls under way after the run was cancelled");
    },
  },
  {
    name: "throws the typed error of a run that fails, after its items and without a final one",
    group: "running",
    needs: ["messages", "events", "final"],
    async run(subject) {
      const model = playedModel(failingTurn);
      const { items, failure } = await outcomeOf(subject.stream([...WATCHED, "final"], { model }));
      await assertFails(failure, "provider_bad_request", "the stream of a run that fails");
      const said = items.map((item) => (item.type === "text" ? item.text : "")).join("");
      assertEqual(said, ASKED, "the text before the failure");
      assertEqual(items.filter(({ type }) => type === "final").length, 0, "final items");
      const last = items.findLast((item) => item.type === "event");
      assertEqual(last?.type === "event" ? last.event.type : undefined, "run.failed", "the last event");
    },
  },
];
