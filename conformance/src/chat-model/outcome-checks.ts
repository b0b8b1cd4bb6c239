import { type FinishReason, refusal, type Usage } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { answerCheck } from "./ask.js";
import { answerOf, type ScenarioName } from "./scenarios.js";
import type { ModelUnderTest } from "./subject.js";

function finishCheck(scenario: ScenarioName, finishReason: FinishReason): Check<ModelUnderTest> {
  return answerCheck(
    { name: `finishes with ${finishReason} where the model did`, group: "finish reasons", scenario },
    (response, delivery) => {
      assertEqual(response.finishReason, finishReason, `finishReason (${delivery})`);
      assertEqual(response.message.finishReason, finishReason, `message.finishReason (${delivery})`);
    },
  );
}

function classesOf(usage: Usage | undefined, keys: readonly (keyof Usage)[]): unknown {
  return Object.fromEntries(keys.map((key) => [key, usage?.[key]]));
}

/** How answers end and what they cost. */
export const outcomeChecks: readonly Check<ModelUnderTest>[] = [
  answerCheck({ name: "reports input and output tokens", group: "usage", scenario: "usage" }, (response, delivery) => {
    const found = classesOf(response.usage, ["inputTokens", "outputTokens", "source"]);
    assertEqual(found, { ...answerOf("usage").usage, source: "reported" }, `usage (${delivery})`);
  }),
  answerCheck(
    { name: "reports cached and reasoning tokens as parts of the totals", group: "usage", scenario: "usage_classes" },
    (response, delivery) => {
      const { usage } = answerOf("usage_classes");
      const keys = ["inputTokens", "outputTokens", "cachedInputTokens", "reasoningTokens"] as const;
      assertEqual(classesOf(response.usage, keys), usage, `usage (${delivery})`);
      assertEqual(classesOf(response.message.usage, keys), usage, `message.usage (${delivery})`);
    },
  ),
  answerCheck(
    { name: "reports what the provider charged", group: "usage", scenario: "usage_charged" },
    ({ usage }, delivery) => {
      assertEqual(usage?.charged, answerOf("usage_charged").usage?.charged, `usage.charged (${delivery})`);
    },
  ),
  answerCheck(
    { name: "leaves unknown usage unknown, or says that it is an estimate", group: "usage", scenario: "usage_absent" },
    ({ usage }, delivery) => {
      assert(
        usage === undefined || usage.source === "estimated",
        `usage is made up (${delivery}): ${JSON.stringify(usage)}`,
      );
    },
  ),
  finishCheck("text", "stop"),
  finishCheck("tool_call", "tool_calls"),
  finishCheck("finish_length", "length"),
  finishCheck("finish_content_filter", "content_filter"),
  answerCheck(
    { name: "tells a refusal as one, with its words", group: "finish reasons", scenario: "refusal" },
    (response, delivery) => {
      assertEqual(response.finishReason, "refusal", `finishReason (${delivery})`);
      assertEqual(refusal(response.message), answerOf("refusal").refusal, `refusal (${delivery})`);
    },
  ),
];
