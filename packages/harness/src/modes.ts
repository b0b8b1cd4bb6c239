import type { StreamMode } from "@tinyagents/core";

const MODES: { readonly [Mode in StreamMode]: true } = {
  messages: true,
  tools: true,
  usage: true,
  cost: true,
  updates: true,
  events: true,
  final: true,
};

/**
 * Modes as a set.
 * @throws TypeError that lists the modes there are.
 */
export function modeSet(modes: readonly StreamMode[]): ReadonlySet<StreamMode> {
  if (!Array.isArray(modes)) throw wrongModes("a list is expected");
  for (const mode of modes) if (!Object.hasOwn(MODES, mode)) throw wrongModes(`there is no "${String(mode)}"`);
  return new Set(modes);
}

function wrongModes(what: string): TypeError {
  return new TypeError(`modes: ${what}; there are: ${Object.keys(MODES).join(", ")}`);
}
