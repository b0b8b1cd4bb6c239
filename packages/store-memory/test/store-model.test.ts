import { isTinyAgentsError, manualClock, type Store, type StoreKey, type StoreOperation } from "@tinyagents/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryStore } from "../src/index.js";

/** What the model knows of a record: the slowest and plainest store there is. */
interface Modelled {
  readonly key: StoreKey;
  readonly value: unknown;
  readonly version: string;
  readonly tag: string | number;
  readonly goneAtMs: number;
}

const names = fc.constantFrom("a", "b", "ab", "a/b", "__proto__", "*", "");
const keys = fc.array(
  names.filter((name) => name !== ""),
  { minLength: 1, maxLength: 3 },
);
const tags = fc.constantFrom<string | number>("x", 1, "1");
/** Which version a write asks for: none, that there is no record, the current one, or a stale one. */
const conditions = fc.constantFrom("any", "absent", "current", "stale");
const puts = fc.record({
  type: fc.constant("put" as const),
  key: keys,
  // As JSON has it: a negative zero is a zero there.
  value: fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value))),
  tag: tags,
  ttlMs: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  condition: conditions,
});
const deletes = fc.record({ type: fc.constant("delete" as const), key: keys, condition: conditions });
const writes = fc.oneof({ weight: 3, arbitrary: puts }, { weight: 1, arbitrary: deletes });
const actions = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("batch" as const), writes: fc.array(writes, { maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 15 }) }) },
);
type Write = typeof writes extends fc.Arbitrary<infer T> ? T : never;

/** Keys in order, decided without the code under test: names joined by a character lower than all others. */
function inOrder(records: readonly Modelled[]): readonly Modelled[] {
  const text = ({ key }: Modelled): string => key.join("\u0000");
  return [...records].sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function same(one: StoreKey, other: StoreKey): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

function ifVersionOf(condition: Write["condition"], found: Modelled | undefined): string | null | undefined {
  if (condition === "any") return undefined;
  if (condition === "absent") return null;
  return condition === "current" ? (found?.version ?? "no version") : "stale";
}

async function apply(store: Store, model: readonly Modelled[], write: readonly Write[], nowMs: number) {
  const alive = model.filter(({ goneAtMs }) => goneAtMs > nowMs);
  let after = alive;
  let conflicts = false;
  const operations = write.map((one): StoreOperation => {
    const before = alive.find(({ key }) => same(key, one.key));
    const ifVersion = ifVersionOf(one.condition, before);
    const now = after.find(({ key }) => same(key, one.key));
    if (ifVersion !== undefined && (now?.version ?? null) !== ifVersion) conflicts = true;
    after = after.filter((record) => record !== now);
    if (one.type === "delete") return { type: "delete", key: one.key, options: { ifVersion: ifVersion as string } };
    const { key, value, tag, ttlMs } = one;
    const goneAtMs = ttlMs === undefined ? Number.POSITIVE_INFINITY : nowMs + ttlMs;
    after = [...after, { key, value, tag, goneAtMs, version: "in this batch" }];
    const options = { ifVersion, ttlMs, attributes: { tag } };
    return { type: "put", key, value: { type: "json", value: value as never }, options };
  });
  const outcome = await store.batch(operations).catch((error: unknown) => error);
  expect(isTinyAgentsError(outcome, "conflict")).toBe(conflicts);
  if (conflicts) return alive;
  return Promise.all(
    after.map(async (record) => ({ ...record, version: (await store.get(record.key))?.version ?? "missing" })),
  );
}

it("behaves like a plain list of records under any sequence of batches and waits", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actions, { maxLength: 25 }),
      fc.array(names, { maxLength: 2 }),
      tags,
      async (all, prefix, tag) => {
        const clock = manualClock();
        const store = memoryStore({ clock: { ...clock, now: () => nowMs } });
        let nowMs = 0;
        let model: readonly Modelled[] = [];
        for (const action of all) {
          if (action.type === "wait") nowMs += action.ms;
          else model = await apply(store, model, action.writes, nowMs);
        }
        const listed = async (query: object) => {
          const seen = [];
          let cursor: string | undefined;
          do {
            const page = await store.list({ prefix: [], limit: 2, ...query, cursor });
            for (const { key, value, version, attributes } of page.items)
              seen.push({ key, value, version, tag: attributes.tag });
            cursor = page.cursor;
          } while (cursor !== undefined);
          return seen;
        };
        const expected = inOrder(model.filter(({ goneAtMs }) => goneAtMs > nowMs)).map(
          ({ key, value, version, tag: own }) => ({
            key,
            value: { type: "json", value },
            version,
            tag: own,
          }),
        );
        expect(await listed({})).toEqual(expected);
        expect(await listed({ order: "descending" })).toEqual([...expected].reverse());
        expect(await listed({ where: { tag } })).toEqual(expected.filter((record) => record.tag === tag));
        const wanted = prefix.filter((name) => name !== "");
        expect(await listed({ prefix: wanted })).toEqual(
          expected.filter(({ key }) => wanted.every((name, index) => key[index] === name)),
        );
      },
    ),
    { numRuns: 300 },
  );
});

it("gives back every JSON value and every run of bytes as it was", async () => {
  const store = memoryStore();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.uint8Array(), async (value, bytes) => {
      await store.put(["json"], { type: "json", value: value as never });
      await store.put(["bytes"], { type: "bytes", bytes });
      const back = (await store.get(["json"]))?.value;
      expect(back?.type === "json" && JSON.stringify(back.value)).toBe(JSON.stringify(value));
      expect((await store.get(["bytes"]))?.value).toEqual({ type: "bytes", bytes });
    }),
    { numRuns: 300 },
  );
});
