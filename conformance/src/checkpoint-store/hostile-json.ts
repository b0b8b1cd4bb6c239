import type { JsonValue } from "@tinyagents/core";

/** Values that careless storage changes. */
export const HOSTILE_JSON: readonly JsonValue[] = [
  null,
  "",
  "half a pair \ud83d, NUL \u0000, line \u2028 and all \u{1F600}",
  [0, -1.5, 1e300, Number.MAX_SAFE_INTEGER, true, [], {}],
  JSON.parse(
    '{"b":1,"a":2,"__proto__":{"x":1},"constructor":{"prototype":1},"$set":1,"a.b":2,"10":1,"9":2}',
  ) as JsonValue,
  { v: 1, type: "checkpoint", row: { checkpointId: "c0" }, headAt: 7, baseAt: 7, fence: 99 },
  Array.from({ length: 2_000 }, (_, at) => `item ${at} with some text to make it large`),
];
