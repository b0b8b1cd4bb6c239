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
  const known = `there are: ${Object.keys(MODES).join(", ")}`;
  if (!Array.isArray(modes)) throw new TypeError(`modes: a list is expected; ${known}`);
  for (const mode of modes) {
    if (!Object.hasOwn(MODES, mode)) throw new TypeError(`modes: there is no "${String(mode)}"; ${known}`);
  }
  return new Set(modes);
}
