import { TinyAgentsError } from "@tinyagents/core";
import { assertEqual, assertFails } from "../assert.js";
import { watchedSignal } from "../chat-model/in-progress.js";
import type { Check } from "../check.js";
import { CALLS } from "./place-checks.js";
import type { StoreUnderTest } from "./subject.js";
import { atOnce, outcomeOf, text, textOf, topic } from "./suite.js";

const KEY = ["thread", "1"];
const cancellation = topic("cancellation");

/** What an aborted signal does to a call. */
export const cancelChecks: readonly Check<StoreUnderTest>[] = [
  cancellation("does nothing when it is cancelled before", async ({ store }) => {
    const version = await store.put(KEY, text("as it was"));
    const signal = AbortSignal.abort("not wanted");
    for (const [name, call] of Object.entries(CALLS)) await assertFails(call(store, signal), "cancelled", name);
    assertEqual((await store.get(KEY))?.version, version, "the version of the record");
  }),
  cancellation("fails with the reason when it is cancelled for one of ours", async ({ store }) => {
    const details = { scope: "tool_call", limitMs: 5 } as const;
    const signal = AbortSignal.abort(new TinyAgentsError("timeout", "It took too long.", { details }));
    for (const [name, call] of Object.entries(CALLS)) {
      assertEqual((await assertFails(call(store, signal), "timeout", name)).details, details, "the details");
    }
  }),
  cancellation("does a write whole or not at all when it is cancelled under way, and goes on", async ({ store }) => {
    await store.put(KEY, text("old"), { attributes: { of: "old" } });
    const controller = new AbortController();
    const options = { signal: controller.signal, attributes: { of: "new" } };
    const writing = atOnce(5, () => store.put(KEY, text("new"), options));
    controller.abort();
    for (const outcome of await writing) {
      const how = outcomeOf(outcome);
      assertEqual(how === "done" || how === "cancelled" ? "either" : how, "either", "what came of it");
    }
    const record = await store.get(KEY);
    assertEqual(record?.attributes.of, textOf(record), "the attributes beside the text");
    await store.put(KEY, text("next"));
    assertEqual(textOf(await store.get(KEY)), "next", "what is written next");
  }),
  cancellation("leaves no listener on the caller's signal", async ({ store }) => {
    const { controller, listeners } = watchedSignal();
    for (const [name, call] of Object.entries(CALLS)) {
      await call(store, controller.signal);
      assertEqual(listeners(), 0, `listeners after ${name}`);
    }
  }),
];
