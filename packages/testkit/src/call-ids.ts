const COUNTED = /^call_(\d+)$/;

/**
 * Ids that go on where a history stopped: `call_3` after `call_2`. They depend on the history alone, so a model in a
 * fresh process gives the ids that the first one would have given.
 */
export function callIdsAfter(used: Iterable<string>): () => string {
  let last = 0;
  for (const id of used) last = Math.max(last, Number(COUNTED.exec(id)?.[1] ?? 0));
  return () => `call_${++last}`;
}
