import { isTinyAgentsError, type ModelDelta } from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { ask, stream } from "./ask.js";
import { firstText, turns, watchedSignal } from "./in-progress.js";
import type { ModelUnderTest, Situation } from "./subject.js";

/** How long a model gets to do what it must not, in turns. */
const PATIENCE = 30;

function leftoverCheck(
  name: string,
  group: string,
  scenario: "stall" | "error_server",
  run: (situation: Situation) => Promise<void>,
): Check<ModelUnderTest> {
  return { name, group, needs: [scenario], run: (subject) => subject.within(scenario, run) };
}

/** A stream that has given its first text, and waits for more. */
interface Waiting {
  readonly controller: AbortController;
  readonly next: Promise<IteratorResult<ModelDelta>>;
}

async function waiting({ model }: Situation, timeoutMs?: number): Promise<Waiting> {
  const controller = new AbortController();
  const request = timeoutMs === undefined ? {} : { timeoutMs };
  const deltas = stream(model, request, { signal: controller.signal })[Symbol.asyncIterator]();
  await firstText(deltas);
  const next = deltas.next();
  next.catch(() => undefined);
  return { controller, next };
}

/** What failed with nobody to hear of it while the work was done, and shortly after. */
async function unheard(work: () => Promise<void>): Promise<readonly unknown[]> {
  const { process } = globalThis;
  const reasons: unknown[] = [];
  const note = (reason: unknown): void => void reasons.push(reason);
  // Others who listen would take what is being looked for for a failure of their own.
  const others = process.rawListeners("unhandledRejection") as ((...args: unknown[]) => void)[];
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", note);
  try {
    await work();
    await turns(PATIENCE);
  } finally {
    process.off("unhandledRejection", note);
    for (const other of others) process.on("unhandledRejection", other);
  }
  return reasons;
}

/** What a call leaves behind, and whose time is kept. */
export const leftoverChecks: readonly Check<ModelUnderTest>[] = [
  leftoverCheck(
    "leaves no failure behind that nobody hears of when it is stopped",
    "cancellation",
    "stall",
    async (situation) => {
      const reasons = await unheard(async () => {
        const read = await waiting(situation);
        read.controller.abort();
        await assertFails(read.next, "cancelled", "a stream that is cancelled");
        const controller = new AbortController();
        const unread = stream(situation.model, {}, { signal: controller.signal })[Symbol.asyncIterator]();
        await firstText(unread);
        controller.abort();
        await turns(1);
        // Whoever leaves hears of it, or nobody has to.
        await unread.return?.().catch((error: unknown) => assert(isTinyAgentsError(error, "cancelled"), String(error)));
      });
      assertEqual(reasons.map(String), [], "failures that nobody heard of");
    },
  ),
  leftoverCheck("answers the next call after one was stopped", "cancellation", "stall", async (situation) => {
    for (let round = 1; round <= 3; round++) {
      const { controller, next } = await waiting(situation);
      controller.abort();
      await assertFails(next, "cancelled", `call ${round}`);
    }
    for (const request of situation.requests()) assertEqual(await request.ended, "aborted", "how a request ended");
  }),
  leftoverCheck(
    "leaves no listener on the caller's signal when the reader leaves",
    "cancellation",
    "stall",
    async ({ model }) => {
      const { controller, listeners } = watchedSignal();
      const deltas = stream(model, {}, { signal: controller.signal })[Symbol.asyncIterator]();
      await firstText(deltas);
      await deltas.return?.();
      assertEqual(listeners(), 0, "listeners after the reader left");
    },
  ),
  leftoverCheck(
    "leaves no listener on the caller's signal when the call fails",
    "cancellation",
    "error_server",
    async ({ model }) => {
      const { controller, listeners } = watchedSignal();
      await assertFails(ask(model, {}, { signal: controller.signal }), "provider_server", "the call");
      assertEqual(listeners(), 0, "listeners after the failure");
    },
  ),
  leftoverCheck("leaves time limits to the caller", "timeouts", "stall", async (situation) => {
    const { controller, next } = await waiting(situation, 1);
    const settled = (): string => "settled";
    const first = await Promise.race([next.then(settled, settled), turns(PATIENCE).then(() => "waits")]);
    assert(
      first === "waits",
      "the call ended by itself: the request's timeoutMs is for the caller, who has the signal",
    );
    controller.abort();
    await assertFails(next, "cancelled", "the call, once the caller had stopped it");
  }),
];
