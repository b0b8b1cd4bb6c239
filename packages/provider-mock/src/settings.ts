import { approximateTokens, type FinishReason, type ModelRequest, type ModelWarning } from "@tinyagents/core";

/** An answer's text as far as the request lets it go. */
export interface CutAnswer {
  readonly text: string;
  readonly finishReason: FinishReason;
}

/** Ends an answer at the first stop sequence, or when its tokens are used up. */
export function cutAnswer(text: string, { stopSequences = [], maxOutputTokens }: ModelRequest): CutAnswer {
  const stops = stopSequences
    .filter((stop) => stop !== "")
    .map((stop) => text.indexOf(stop))
    .filter((at) => at >= 0);
  const stopped = stops.length === 0 ? text : text.slice(0, Math.min(...stops));
  if (maxOutputTokens === undefined || approximateTokens(stopped) <= maxOutputTokens) {
    return { text: stopped, finishReason: "stop" };
  }
  let kept = "";
  for (const word of splitWords(stopped)) {
    if (approximateTokens(kept + word) > maxOutputTokens) break;
    kept += word;
  }
  return { text: kept, finishReason: "length" };
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
