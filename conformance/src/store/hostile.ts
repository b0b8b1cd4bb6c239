import type { JsonValue } from "@tinyagents/core";

/** Names that are dangerous as object keys, patterns, paths or parts of a query. */
export const HOSTILE_NAMES: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "*",
  "%",
  "_",
  "?",
  "[a-z]",
  ".",
  "..",
  "../",
  "../../etc/passwd",
  "/",
  "a/b",
  "a\\b",
  "a:b",
  "a\u0000b",
  "\u0000",
  "' OR 1=1 --",
  "'",
  '"',
  "`",
  "$ne",
  "a.b",
  " ",
  "\n",
  "NUL",
  "A",
  "a",
  "\u{1F600}",
  "\ud83d",
  "\uffee",
  "e\u0301",
  "\u00e9",
  "n".repeat(200),
];

/** Texts that a change of encoding, a normal form or a trim would change. */
export const DELICATE_TEXTS: readonly string[] = [
  "",
  " \t\r\n ",
  "e\u0301 \u00e9",
  "\u{1F469}\u200d\u{1F467}",
  "\u05e9\u05dc\u05d5\u05dd \u202e",
  "\ufeff",
  "\u2028\u2029",
  "a\u0000b",
  "half a pair: \ud83d",
  "\udc00 and the other half",
  "\\u0000 \\n %00",
  "12",
  "null",
  '{"type":"bytes"}',
];

/** JSON that a store of another type system would change. */
export const DELICATE_JSON: readonly JsonValue[] = [
  null,
  true,
  "12",
  -1e-7,
  1.5e300,
  5e-324,
  0.1 + 0.2,
  9_007_199_254_740_991,
  [],
  {},
  [[], {}, [null]],
  { "": 0, "a.b": 1, $set: { $ne: 1 }, "a\u0000b": 2, "half: \ud83d": "half: \udc00" },
  { z: 1, a: 2, m: { y: [], b: {} } },
  { type: "bytes", bytes: "AAE=" },
  "2026-01-01T00:00:00.000Z",
];

/** Arrays in arrays, so many levels deep. */
export function nested(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

/** What is not JSON, and where in it. */
export function notJson(): readonly (readonly [value: unknown, path: string])[] {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  return [
    [{ a: [{ b: undefined }] }, ".a[0].b"],
    [{ f: () => 1 }, ".f"],
    [[1, Number.NaN], "[1]"],
    [{ "odd key": Number.POSITIVE_INFINITY }, '["odd key"]'],
    [{ n: 1n }, ".n"],
    [new Array(1), "[0]"],
    [{ at: new Date(0) }, ".at"],
    [{ m: new Map() }, ".m"],
    [{ bytes: Uint8Array.of(1) }, ".bytes"],
    [undefined, ""],
    [cycle, ".self.self"],
  ];
}
