import { approximateTokens, type FinishReason, type ModelRequest, type ModelWarning } from "@tinyagents/core";
import { answer, type MockReply } from "./reply.js";

/** A reply as far as the request lets it go. */
export interface CutReply {
  readonly reply: MockReply;
  readonly finishReason: FinishReason;
}

/** Ends an answer at the first stop sequence, or when its tokens are used up. Tool calls are never cut. */
export function cutReply(reply: MockReply, { stopSequences = [], maxOutputTokens }: ModelRequest): CutReply {
  if (reply.type === "calls") return { reply, finishReason: "tool_calls" };
  const stops = stopSequences.filter((stop) => stop !== "").map((stop) => reply.text.indexOf(stop));
  const stopped = reply.text.slice(0, Math.min(reply.text.length, ...stops.filter((at) => at >= 0)));
  if (maxOutputTokens === undefined || approximateTokens(stopped) <= maxOutputTokens) {
    return { reply: answer(stopped), finishReason: "stop" };
  }
  let kept = "";
  for (const word of splitWords(stopped)) {
    if (approximateTokens(kept + word) > maxOutputTokens) break;
    kept += word;
  }
  return { reply: answer(kept), finishReason: "length" };
}

/** A text in pieces that a reader can watch come: a word with the white space before it. */
export function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}

const IGNORED = ["temperature", "topP", "seed", "reasoningEffort"] as const;

/** Settings that rules have no use for. */
export function warningsFor(request: ModelRequest): readonly ModelWarning[] {
  return IGNORED.filter((setting) => request[setting] !== undefined).map((setting) => ({
    code: "unsupported_setting",
    message: `${setting} does nothing here: a rule-based model always gives the same answer.`,
    setting,
  }));
}
