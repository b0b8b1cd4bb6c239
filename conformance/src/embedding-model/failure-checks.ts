import type { ErrorCode, TinyAgentsError } from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import { closedByClient, requestArrived, watchedSignal } from "../chat-model/in-progress.js";
import { RECORDED_REQUESTS, secretKey } from "../chat-model/subject.js";
import type { Check } from "../check.js";
import { everythingIn } from "../everything-in.js";
import { type EmbeddingScenarioName, embeddingScenarios } from "./scenarios.js";
import type { EmbeddingModelUnderTest } from "./subject.js";

const TEXTS = ["A river.", "A road."];

function errorCheck<C extends ErrorCode>(
  name: string,
  scenario: EmbeddingScenarioName,
  code: C,
  retryable: boolean,
  look?: (error: TinyAgentsError<C>) => void,
): Check<EmbeddingModelUnderTest> {
  return {
    name,
    group: "errors",
    needs: [scenario],
    run: (subject) =>
      subject.within(scenario, async ({ model }) => {
        for (const work of [() => model.embedDocuments(TEXTS), () => model.embedQuery("Where?")]) {
          const error = await assertFails(work(), code, "the call");
          assertEqual(error.retryable, retryable, "retryable");
          look?.(error);
        }
      }),
  };
}

/** What goes wrong, and how a call is stopped. */
export const failureChecks: readonly Check<EmbeddingModelUnderTest>[] = [
  errorCheck("fails with provider_auth when the key is refused", "error_auth", "provider_auth", false),
  errorCheck(
    "fails with provider_rate_limit, and the server's hint, when there were too many requests",
    "error_rate_limit",
    "provider_rate_limit",
    true,
    ({ details }) =>
      assertEqual(details.retryAfterMs, embeddingScenarios.error_rate_limit.retryAfterMs, "details.retryAfterMs"),
  ),
  errorCheck("fails with provider_server when the server failed", "error_server", "provider_server", true),
  errorCheck("fails with provider_bad_request, for good", "error_bad_request", "provider_bad_request", false),
  errorCheck(
    "fails with context_window_exceeded when a text is too long",
    "error_too_long",
    "context_window_exceeded",
    false,
  ),
  errorCheck("fails with model_not_found when nobody knows the model", "error_model", "model_not_found", false),
  errorCheck("fails with network when the answer breaks off", "cut", "network", true),
  {
    name: "makes one request, and leaves repeating to the caller",
    group: "errors",
    needs: ["error_server", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("error_server", async ({ model, requests }) => {
        await assertFails(model.embedQuery("Where?"), "provider_server", "the call");
        assertEqual(requests().length, 1, "requests");
      }),
  },
  {
    name: "never has the key in an error, nor in what it was caused by",
    group: "errors",
    needs: ["error_echo"],
    run: (subject) =>
      subject.within("error_echo", async ({ model }) => {
        const error: unknown = await model.embedDocuments(TEXTS).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        assert(error !== undefined, "the call did not fail");
        assert(!everythingIn(error).includes(secretKey), "the key is in the error");
      }),
  },
  {
    name: "sends nothing when it is cancelled before",
    group: "cancellation",
    needs: ["vectors"],
    run: (subject) =>
      subject.within("vectors", async ({ model, requests }) => {
        const work = model.embedDocuments(TEXTS, { signal: AbortSignal.abort("not wanted") });
        await assertFails(work, "cancelled", "a call with an aborted signal");
        assertEqual(requests().length, 0, "requests");
      }),
  },
  {
    name: "stops waiting when it is cancelled, and closes the connection",
    group: "cancellation",
    needs: ["silence"],
    run: async (subject) => {
      const recorded = (await subject.lacks(RECORDED_REQUESTS)) === undefined;
      await subject.within("silence", async (situation) => {
        const controller = new AbortController();
        const work = situation.model.embedDocuments(TEXTS, { signal: controller.signal });
        work.catch(() => undefined);
        await requestArrived(situation, recorded);
        controller.abort();
        await assertFails(work, "cancelled", "a call that is cancelled");
        await closedByClient(situation);
      });
    },
  },
  {
    name: "leaves no listener on the caller's signal",
    group: "cancellation",
    needs: ["vectors"],
    run: (subject) =>
      subject.within("vectors", async ({ model }) => {
        const { controller, listeners } = watchedSignal();
        await model.embedDocuments(TEXTS, { signal: controller.signal });
        assertEqual(listeners(), 0, "listeners after the call");
      }),
  },
];
