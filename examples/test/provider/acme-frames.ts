import { type Scenario, type ScenarioAnswer, scenarioMetadata } from "@tinyagents/conformance";
import type { JsonObject } from "@tinyagents/core";

/** What Acme says in a scenario, frame by frame. */
export function framesOf(answer: ScenarioAnswer, manner: Scenario["manner"]): readonly JsonObject[] {
  const { text, refusal, toolCalls = [], finishReason, usage } = answer;
  const pieces = (said: string): readonly string[] => (manner === "pieces" ? [...said] : [said]);
  const frames: JsonObject[] = [
    ...(text === undefined ? [] : pieces(text).map((piece) => ({ type: "text", at: 0, text: piece }))),
    ...(refusal === undefined ? [] : [{ type: "refusal", at: 1, text: refusal }]),
    ...toolCalls.flatMap(({ id, name, args }, nth) => {
      const at = 2 + nth;
      const fragments = args === "" ? [] : pieces(args).map((piece) => ({ type: "args", at, text: piece }));
      return [{ type: "call", at, id, name }, ...fragments, { type: "call_end", at }];
    }),
  ];
  if (usage !== undefined) {
    const { inputTokens: input, outputTokens: output, cachedInputTokens, reasoningTokens } = usage;
    const classes = {
      ...(cachedInputTokens ? { cached: cachedInputTokens } : {}),
      ...(reasoningTokens ? { thought: reasoningTokens } : {}),
    };
    frames.push({ type: "usage", input, output, ...classes });
  }
  const more = manner === "metadata" ? { trace: scenarioMetadata } : {};
  frames.push({ type: "end", reason: REASONS[finishReason] ?? finishReason, ...more });
  return manner === "noise"
    ? frames.flatMap((frame) => [
        { type: "weather", sky: "blue" },
        { ...frame, x: 1 },
      ])
    : frames;
}

const REASONS: { readonly [reason: string]: string } = { tool_calls: "calls", content_filter: "filter" };
