import { isTinyAgentsError, type JsonValue } from "@tinyagents/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryAppendStore } from "../src/index.js";

interface Modelled {
  head: number;
  records: { readonly offset: number; readonly value: JsonValue }[];
  readonly byKey: Map<string, { readonly offset: number; readonly text: string }>;
}

const streams = fc.constantFrom("s", "s/1", "__proto__");
const appends = fc.record({
  type: fc.constant("append" as const),
  stream: streams,
  values: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }),
  /** How far from the head the expected offset is; nothing: none is expected. */
  off: fc.option(fc.constantFrom(0, 0, 0, 1), { nil: undefined }),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: undefined }),
});
const truncates = fc.record({ type: fc.constant("truncate" as const), stream: streams, before: fc.nat({ max: 12 }) });
const deletes = fc.record({ type: fc.constant("delete" as const), stream: streams });
const actions = fc.oneof(
  { weight: 6, arbitrary: appends },
  { weight: 1, arbitrary: truncates },
  { weight: 1, arbitrary: deletes },
);
type Append = typeof appends extends fc.Arbitrary<infer T> ? T : never;

/** What an append must give: an offset, or a code. */
function appendTo(stream: Modelled, { values, key, off }: Append): number | string {
  const earlier = key === undefined ? undefined : stream.byKey.get(key);
  if (earlier !== undefined) return earlier.text === JSON.stringify(values) ? earlier.offset : "invalid_request";
  if (off !== undefined && off !== 0) return "conflict";
  const offset = stream.head;
  for (const value of values) stream.records.push({ offset: stream.head++, value });
  if (key !== undefined) stream.byKey.set(key, { offset, text: JSON.stringify(values) });
  return offset;
}

it("behaves like plain lists of numbered records under any sequence of operations", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actions, { maxLength: 40 }),
      fc.nat({ max: 14 }),
      fc.integer({ min: 1, max: 5 }),
      async (all, from, limit) => {
        const log = memoryAppendStore();
        const model = new Map<string, Modelled>();
        for (const action of all) {
          const stream = model.get(action.stream) ?? { head: 0, records: [], byKey: new Map() };
          if (action.type === "append") {
            const expectedOffset = action.off === undefined ? undefined : stream.head + action.off;
            const outcome = await log
              .append(action.stream, action.values, { expectedOffset, idempotencyKey: action.key })
              .catch((error: unknown) => (isTinyAgentsError(error) ? error.code : error));
            expect(outcome).toBe(appendTo(stream, action));
            if (stream.head > 0) model.set(action.stream, stream);
          } else if (action.type === "truncate") {
            await log.truncate(action.stream, { before: action.before });
            stream.records = stream.records.filter(({ offset }) => offset >= action.before);
          } else {
            expect(await log.delete(action.stream)).toBe(model.delete(action.stream));
          }
        }
        expect(await log.streams()).toEqual([...model.keys()].sort());
        for (const [name, { head, records }] of model) {
          expect(await log.head(name)).toBe(head);
          expect(await log.read(name)).toEqual(records);
          expect(await log.read(name, { from, limit })).toEqual(
            records.filter(({ offset }) => offset >= from).slice(0, limit),
          );
          expect(await log.read(name, { from, limit, order: "descending" })).toEqual(
            records
              .filter(({ offset }) => offset <= from)
              .reverse()
              .slice(0, limit),
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});
