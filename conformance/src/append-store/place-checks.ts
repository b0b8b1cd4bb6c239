import { type AppendStore, isTinyAgentsError, TinyAgentsError } from "@tinyagents/core";
import { assertEqual, assertFails, assertIncludes } from "../assert.js";
import { watchedSignal } from "../chat-model/in-progress.js";
import type { Check } from "../check.js";
import { DELICATE_JSON, DELICATE_TEXTS, HOSTILE_NAMES } from "../store/hostile.js";
import { atOnce, countOutcomes, outcomeOf } from "../store/suite.js";
import type { AppendStoreUnderTest } from "./subject.js";
import { offsetsOf, topic, valuesOf } from "./suite.js";

const claims = topic("claims");
const durability = topic("durability");
const processes = topic("several processes");
const closing = topic("closing");
const cancellation = topic("cancellation");

/** Calls of every method, for what holds of all. */
const CALLS: { readonly [name: string]: (log: AppendStore, signal?: AbortSignal) => Promise<unknown> } = {
  append: (log, signal) => log.append("s", ["x"], { signal }),
  read: (log, signal) => log.read("s", { signal }),
  head: (log, signal) => log.head("s", { signal }),
  offsetOf: (log, signal) => log.offsetOf("s", "k", { signal }),
  truncate: (log, signal) => log.truncate("s", { before: 1, signal }),
  streams: (log, signal) => log.streams("", { signal }),
  delete: (log, signal) => log.delete("s", { signal }),
};

/** What outlives a handle, what handles share, what is left of one that is closed, and what stops a call. */
export const placeChecks: readonly Check<AppendStoreUnderTest>[] = [
  claims("says of each capability yes or no", async ({ log }) => {
    for (const name of ["durable", "multiProcess", "follow"] as const) {
      assertEqual(typeof log.capabilities[name], "boolean", `the type of capabilities.${name}`);
    }
  }),
  durability(
    "still has every record, exactly as it was, when the place is opened again",
    async ({ log, reopen }) => {
      for (const name of HOSTILE_NAMES) await log.append(name, [name]);
      await log.append("s", [...DELICATE_JSON, ...DELICATE_TEXTS]);
      await log.append("gone", ["x"]);
      await log.delete("gone");
      const before = [await log.streams(), await log.read("s")];
      const { log: next } = await reopen();
      assertEqual([await next.streams(), await next.read("s")], before, "the streams, and the records of one");
      for (const name of HOSTILE_NAMES) assertEqual(await valuesOf(next, name), [name], JSON.stringify(name));
      assertEqual(await next.append("gone", ["y"]), 0, "the first offset of a stream that was deleted");
    },
    { needs: ["durable"] },
  ),
  durability(
    "goes on with its offsets and keys when the place is opened again, also after a truncate",
    async ({ log, reopen }) => {
      await log.append("s", ["a", "b"], { idempotencyKey: "k" });
      await log.append("s", ["c"]);
      await log.truncate("s", { before: 2 });
      await log.append("empty", ["x"]);
      await log.truncate("empty", { before: 1 });
      const { log: next } = await reopen();
      assertEqual(await next.head("s"), 3, "the head");
      assertEqual(await offsetsOf(next, "s"), [2], "the offsets");
      assertEqual(await next.offsetOf("s", "k"), 0, "where what was appended under a key begins");
      assertEqual(await next.append("s", ["a", "b"], { idempotencyKey: "k" }), 0, "the same append again");
      assertEqual(await next.append("empty", ["y"]), 1, "the next offset of a stream without records");
      assertEqual(await next.append("s", ["d"], { expectedOffset: 3 }), 3, "the next offset");
    },
    { needs: ["durable"] },
  ),
  processes(
    "gives each append of several logs on a place an offset of its own, that all see at once",
    async ({ log, open }) => {
      const logs = [log, (await open()).log, (await open()).log];
      const outcomes = await atOnce(30, (index) => (logs[index % 3] as AppendStore).append("s", [index]));
      for (const one of logs) {
        for (const { offset, value } of await one.read("s")) assertEqual(outcomes[Number(value)], offset, "an offset");
        assertEqual(await one.head("s"), 30, "the head");
      }
    },
    { needs: ["multiProcess"] },
  ),
  processes(
    "lets exactly one of several logs on a place win, and adds once what they all add under one key",
    async ({ log, open }) => {
      const logs = [log, (await open()).log, (await open()).log];
      const at = (index: number): AppendStore => logs[index % 3] as AppendStore;
      const racing = await atOnce(12, (index) => at(index).append("s", [index], { expectedOffset: 0 }));
      assertEqual(countOutcomes(racing), { done: 1, conflict: 11 }, "what came of them");
      const same = await atOnce(12, (index) => at(index).append("s", ["once"], { idempotencyKey: "k" }));
      assertEqual(same, new Array(12).fill(1), "the offsets under one key");
      assertEqual(await log.head("s"), 2, "the head");
    },
    { needs: ["multiProcess"] },
  ),
  closing(
    "fails every call with store_failed once it is closed, however often it is closed",
    async ({ log, first }) => {
      await log.append("s", ["x"]);
      await Promise.all([first.close?.(), first.close?.()]);
      await first.close?.();
      for (const [name, call] of Object.entries(CALLS)) {
        const { details } = await assertFails(call(log), "store_failed", name);
        assertIncludes(details.operation, name, "the operation");
      }
    },
    { needs: ["close"] },
  ),
  closing(
    "lets the appends under way end when it is closed, and keeps those that it acknowledged",
    async ({ log, first, reopen }) => {
      const writing = atOnce(20, (index) => log.append("s", [index]));
      await first.close?.();
      const outcomes = await writing;
      const wrong = outcomes.filter((one) => one instanceof Error && !isTinyAgentsError(one, "store_failed"));
      assertEqual(wrong.map(String), [], "failures other than store_failed");
      if (!log.capabilities.durable) return;
      const kept = await valuesOf((await reopen()).log, "s");
      const told = outcomes.flatMap((outcome, index) => (outcome instanceof Error ? [] : [index]));
      assertEqual(
        told.filter((index) => !kept.includes(index)),
        [],
        "what was acknowledged and is not there",
      );
    },
    { needs: ["close"] },
  ),
  cancellation("does nothing when it is cancelled before", async ({ log }) => {
    await log.append("s", ["as it was"]);
    const signal = AbortSignal.abort("not wanted");
    for (const [name, call] of Object.entries(CALLS)) await assertFails(call(log, signal), "cancelled", name);
    assertEqual(await valuesOf(log, "s"), ["as it was"], "the values");
  }),
  cancellation("fails with the reason when it is cancelled for one of ours", async ({ log }) => {
    const details = { scope: "tool_call", limitMs: 5 } as const;
    const signal = AbortSignal.abort(new TinyAgentsError("timeout", "It took too long.", { details }));
    for (const [name, call] of Object.entries(CALLS)) {
      assertEqual((await assertFails(call(log, signal), "timeout", name)).details, details, "the details");
    }
  }),
  cancellation("does an append whole or not at all when it is cancelled under way, and goes on", async ({ log }) => {
    const controller = new AbortController();
    const writing = atOnce(5, () => log.append("s", ["a", "b"], { signal: controller.signal }));
    controller.abort();
    for (const outcome of await writing) {
      const how = outcomeOf(outcome);
      assertEqual(how === "done" || how === "cancelled" ? "either" : how, "either", "what came of it");
    }
    const found = await valuesOf(log, "s");
    assertEqual(
      found,
      found.map((_, index) => (index % 2 === 0 ? "a" : "b")),
      "the values",
    );
    assertEqual(found.length % 2, 0, "how many values of half an append there are");
    assertEqual(await log.append("s", ["next"]), found.length, "the next offset");
  }),
  cancellation("leaves no listener on the caller's signal", async ({ log }) => {
    const { controller, listeners } = watchedSignal();
    for (const [name, call] of Object.entries(CALLS)) {
      await call(log, controller.signal);
      assertEqual(listeners(), 0, `listeners after ${name}`);
    }
  }),
];
