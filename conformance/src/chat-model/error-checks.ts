import {
  type Clock,
  type ErrorCode,
  ResponseCollector,
  resolvedModel,
  retryStream,
  type TinyAgentsError,
} from "@tinyagents/core";
import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { everythingIn } from "../everything-in.js";
import { ask, BOTH, type Delivery, stream } from "./ask.js";
import { answerOf, type ScenarioName, scenarios } from "./scenarios.js";
import { type ModelUnderTest, RECORDED_REQUESTS, secretKey } from "./subject.js";

function errorCheck<C extends ErrorCode>(
  name: string,
  scenario: ScenarioName,
  code: C,
  retryable: boolean,
  look?: (error: TinyAgentsError<C>) => void,
  deliveries: readonly Delivery[] = BOTH,
): Check<ModelUnderTest> {
  return {
    name,
    group: "errors",
    needs: [scenario],
    run: (subject) =>
      subject.within(scenario, async ({ model }) => {
        for (const delivery of deliveries) {
          const error = await assertFails(ask(model, {}, { delivery }), code, `the call (${delivery})`);
          assertEqual(error.retryable, retryable, `retryable (${delivery})`);
          look?.(error);
        }
      }),
  };
}

/** Time that passes when it is waited for. */
const INSTANT: Clock = { now: () => 0, setTimer: () => () => undefined, sleep: async () => undefined };

/** Failures. */
export const errorChecks: readonly Check<ModelUnderTest>[] = [
  errorCheck("fails with provider_auth when the key is refused", "error_auth", "provider_auth", false),
  errorCheck(
    "fails with provider_rate_limit, and the server's hint, when there were too many requests",
    "error_rate_limit",
    "provider_rate_limit",
    true,
    ({ details }) => assertEqual(details.retryAfterMs, scenarios.error_rate_limit.retryAfterMs, "details.retryAfterMs"),
  ),
  errorCheck("fails with provider_billing, for good, when quota is used up", "error_quota", "provider_billing", false),
  errorCheck("fails with provider_server when the server failed", "error_server", "provider_server", true),
  errorCheck(
    "fails with provider_overloaded, and the server's hint, when the server is",
    "error_overloaded",
    "provider_overloaded",
    true,
    ({ details }) => assertEqual(details.retryAfterMs, scenarios.error_overloaded.retryAfterMs, "details.retryAfterMs"),
  ),
  errorCheck("fails with provider_bad_request, for good", "error_bad_request", "provider_bad_request", false),
  errorCheck(
    "fails with context_window_exceeded when the request is too long",
    "error_context_window",
    "context_window_exceeded",
    false,
  ),
  errorCheck("fails with model_not_found when nobody knows the model", "error_model", "model_not_found", false),
  errorCheck(
    "fails with network when the connection breaks, and keeps what had come",
    "cut",
    "network",
    true,
    ({ details }) => assertEqual(details.partialText, answerOf("cut").text, "details.partialText"),
    ["incremental"],
  ),
  errorCheck("fails with network when a whole answer breaks off", "cut", "network", true, undefined, ["whole"]),
  errorCheck(
    "fails with network when a stream ends cleanly but too early",
    "early_end",
    "network",
    true,
    ({ details }) => assertEqual(details.partialText, answerOf("early_end").text, "details.partialText"),
    ["incremental"],
  ),
  errorCheck(
    "fails with provider_server when the error comes inside a stream",
    "error_in_stream",
    "provider_server",
    true,
    undefined,
    ["incremental"],
  ),
  {
    name: "fails with provider_server when an error follows the text, after it has told the text, and asks once",
    group: "errors",
    needs: ["error_after_text"],
    run: (subject) =>
      subject.within("error_after_text", async ({ model, requests }) => {
        const collector = new ResponseCollector(resolvedModel(model));
        const read = async (): Promise<void> => {
          for await (const delta of stream(model)) collector.add(delta);
        };
        const error = await assertFails(read(), "provider_server", "the call");
        assertEqual(error.retryable, true, "retryable");
        assertEqual(collector.text, answerOf("error_after_text").text, "the text that was told before");
        assert(requests().length <= 1, `one request is expected, ${requests().length} found: it was repeated silently`);
      }),
  },
  {
    name: "makes one request for each attempt, and leaves repeating to the caller",
    group: "errors",
    needs: ["error_server", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("error_server", async ({ model, requests }) => {
        const policy = { maxAttempts: 3, initialDelayMs: 1, jitter: "none" } as const;
        const context = { clock: INSTANT, random: () => 0, signal: undefined };
        const attempts = retryStream(policy, context, () => stream(model));
        const readAll = async (): Promise<void> => {
          for await (const _ of attempts);
        };
        await assertFails(readAll(), "retry_exhausted", "three attempts");
        assertEqual(requests().length, 3, "requests");
      }),
  },
  {
    name: "never has the key in an error, nor in what it was caused by",
    group: "errors",
    needs: ["error_echo"],
    run: async (subject) => {
      for (const scenario of ["error_echo", "error_auth", "cut"] as const) {
        if ((await subject.lacks(scenario)) !== undefined) continue;
        await subject.within(scenario, async ({ model }) => {
          const error: unknown = await ask(model).then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          assert(error !== undefined, `the call did not fail in ${scenario}`);
          assert(!everythingIn(error).includes(secretKey), `the key is in the error of ${scenario}`);
        });
      }
    },
  },
];
