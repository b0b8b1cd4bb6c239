import { TinyAgentsError } from "@tinyagents/core";
import { assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { ask, BOTH, stream } from "./ask.js";
import { closedByClient, firstText, requestArrived, turn, watchedSignal } from "./in-progress.js";
import { type ModelNeed, type ModelUnderTest, RECORDED_REQUESTS, type Situation } from "./subject.js";

function cancelCheck(
  name: string,
  needs: readonly ModelNeed[],
  scenario: "text" | "stall" | "silence",
  run: (situation: Situation, recorded: boolean) => Promise<void>,
): Check<ModelUnderTest> {
  return {
    name,
    group: "cancellation",
    needs: [scenario, ...needs],
    run: async (subject) => {
      const recorded = (await subject.lacks(RECORDED_REQUESTS)) === undefined;
      await subject.within(scenario, (situation) => run(situation, recorded));
    },
  };
}

/** Leaving and stopping. */
export const cancelChecks: readonly Check<ModelUnderTest>[] = [
  cancelCheck("sends nothing before it is read", [RECORDED_REQUESTS], "text", async ({ model, requests }) => {
    const deltas = stream(model)[Symbol.asyncIterator]();
    await turn();
    assertEqual(requests().length, 0, "requests before the first delta is asked for");
    await deltas.return?.();
  }),
  cancelCheck("sends nothing when it is cancelled before", [], "text", async ({ model, requests }) => {
    for (const delivery of BOTH) {
      const work = ask(model, {}, { delivery, signal: AbortSignal.abort("not wanted") });
      await assertFails(work, "cancelled", `a call with an aborted signal (${delivery})`);
    }
    assertEqual(requests().length, 0, "requests");
  }),
  cancelCheck("stops waiting for an answer when it is cancelled", [], "silence", async (situation, recorded) => {
    const controller = new AbortController();
    const work = ask(situation.model, {}, { signal: controller.signal });
    work.catch(() => undefined);
    await requestArrived(situation, recorded);
    controller.abort();
    await assertFails(work, "cancelled", "a call that is cancelled before the first byte");
    await closedByClient(situation);
  }),
  cancelCheck("stops in mid-stream when it is cancelled, and closes the connection", [], "stall", async (situation) => {
    const controller = new AbortController();
    const deltas = stream(situation.model, {}, { signal: controller.signal })[Symbol.asyncIterator]();
    await firstText(deltas);
    const next = deltas.next();
    next.catch(() => undefined);
    controller.abort();
    await assertFails(next, "cancelled", "a stream that is cancelled");
    await closedByClient(situation);
  }),
  cancelCheck("closes the connection when the reader leaves", [RECORDED_REQUESTS], "stall", async (situation) => {
    const deltas = stream(situation.model)[Symbol.asyncIterator]();
    await firstText(deltas);
    await deltas.return?.();
    await closedByClient(situation);
  }),
  cancelCheck("fails with the reason when it is cancelled for one of ours", [], "stall", async ({ model }) => {
    const controller = new AbortController();
    const deltas = stream(model, {}, { signal: controller.signal })[Symbol.asyncIterator]();
    await firstText(deltas);
    const details = { scope: "model_call", limitMs: 5 } as const;
    const next = deltas.next();
    next.catch(() => undefined);
    controller.abort(new TinyAgentsError("timeout", "The run took too long.", { details }));
    const error = await assertFails(next, "timeout", "a stream that a time limit stopped");
    assertEqual(error.details, details, "details");
  }),
  cancelCheck("leaves no listener on the caller's signal", [], "text", async ({ model }) => {
    for (const delivery of BOTH) {
      const { controller, listeners } = watchedSignal();
      await ask(model, {}, { delivery, signal: controller.signal });
      assertEqual(listeners(), 0, `listeners after the call (${delivery})`);
    }
  }),
];
