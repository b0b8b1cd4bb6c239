import { TinyAgentsError } from "../errors.js";

/** The failure of a stream that ended before its finish. `partialText`: the visible text that had come. */
export function cutShortError(partialText: string, provider?: string): TinyAgentsError<"network"> {
  const answer = provider === undefined ? "The answer" : `The answer of ${provider}`;
  return new TinyAgentsError("network", `${answer} was cut short: the stream ended without a finish.`, {
    details: { ...(provider === undefined ? {} : { provider }), reason: "stream_cut_short", partialText },
  });
}
