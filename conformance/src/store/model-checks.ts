import type { Store, StoreKey, StoreOperation, StoreValue } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { type Chance, chance, someJson } from "./chance.js";
import type { StoreUnderTest } from "./subject.js";
import { bytes, json, outcomeOf, text, topic } from "./suite.js";

/** What the model knows of a record: the slowest and plainest store there is. */
interface Modelled {
  readonly key: StoreKey;
  readonly value: StoreValue;
  readonly attributes: { readonly tag: string | number };
  readonly version: string;
}

const RUNS = 12;
const STEPS = 25;
const NAMES = ["a", "b", "ab", "a/b", "__proto__", "*"];
const TAGS = ["x", 1, "1"];
const model = topic("everything together");

function someKey(by: Chance): StoreKey {
  return Array.from({ length: 1 + by.below(3) }, () => by.pick(NAMES));
}

function someValue(by: Chance): StoreValue {
  if (by.onceIn(4)) return text(by.pick(NAMES) + by.pick(["", "\u0000", "\ud83d"]));
  if (by.onceIn(4)) return bytes(...Array.from({ length: by.below(5) }, () => by.below(256)));
  return json(someJson(by, 2));
}

function same(one: StoreKey, other: StoreKey): boolean {
  return one.length === other.length && one.every((name, index) => name === other[index]);
}

/** Which version a write asks for: none, that there is no record, the current one, or a stale one. */
function someCondition(by: Chance, found: Modelled | undefined): string | null | undefined {
  return by.pick([undefined, undefined, null, found?.version ?? null, "stale"]);
}

/** Does one write, on the store and on the model. Gives the model after it. */
async function write(
  store: Store,
  before: readonly Modelled[],
  key: StoreKey,
  by: Chance,
): Promise<readonly Modelled[]> {
  const found = before.find((record) => same(record.key, key));
  const ifVersion = someCondition(by, found);
  const conflicts = ifVersion !== undefined && ifVersion !== (found?.version ?? null);
  const others = before.filter((record) => record !== found);
  if (ifVersion !== null && by.onceIn(4)) {
    const outcome = await store.delete(key, { ifVersion }).catch(toOutcome);
    assertEqual(outcome, conflicts ? "conflict" : found !== undefined, `deleting ${JSON.stringify(key)}`);
    return conflicts ? before : others;
  }
  const value = someValue(by);
  const attributes = { tag: by.pick(TAGS) };
  const put: StoreOperation = { type: "put", key, value, options: { ifVersion, attributes } };
  const single = by.onceIn(2);
  const outcome = await (single ? store.put(key, value, put.options) : store.batch([put])).catch(toOutcome);
  if (conflicts) {
    assertEqual(outcome, "conflict", `writing ${JSON.stringify(key)}`);
    return before;
  }
  const version = typeof outcome === "string" ? outcome : (outcome[0] ?? "nothing");
  return [...others, { key, value, attributes, version }];
}

function toOutcome(error: unknown): string {
  return outcomeOf(error);
}

/** Keys in order, decided without the code under test: names joined by a character lower than all others. */
function inOrder(records: readonly Modelled[]): readonly Modelled[] {
  const joined = ({ key }: Modelled): string => key.join("\u0000");
  return [...records].sort((one, other) => (joined(one) < joined(other) ? -1 : 1));
}

async function listAll(store: Store, query: object): Promise<readonly Modelled[]> {
  const seen: Modelled[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ prefix: [], limit: 3, ...query, cursor });
    for (const { updatedAtMs: _, ...record } of page.items) seen.push(record as unknown as Modelled);
    cursor = page.cursor;
    assert(seen.length <= RUNS * STEPS, "pages have more records than were ever written");
  } while (cursor !== undefined);
  return seen;
}

async function compare(store: Store, records: readonly Modelled[], by: Chance, where: string): Promise<void> {
  const expected = inOrder(records);
  assertEqual(await listAll(store, {}), expected, `${where}: what is listed`);
  assertEqual(await listAll(store, { order: "descending" }), [...expected].reverse(), `${where}: from the end`);
  const tag = by.pick(TAGS);
  const tagged = expected.filter(({ attributes }) => attributes.tag === tag);
  assertEqual(await listAll(store, { where: { tag } }), tagged, `${where}: where tag is ${JSON.stringify(tag)}`);
  const prefix = someKey(by).slice(0, by.below(3));
  const below = expected.filter(({ key }) => prefix.every((name, index) => key[index] === name));
  assertEqual(await listAll(store, { prefix }), below, `${where}: below ${JSON.stringify(prefix)}`);
  const key = someKey(by);
  const version = expected.find((record) => same(record.key, key))?.version;
  assertEqual((await store.get(key))?.version, version, `${where}: the version of ${JSON.stringify(key)}`);
}

/** Long mixed sequences of writes, compared with a plain list of records. */
export const modelChecks: readonly Check<StoreUnderTest>[] = [
  model("behaves like a plain list of records under any sequence of writes", async (situation) => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const by = chance(seed);
      let records: readonly Modelled[] = [];
      for (let step = 0; step < STEPS; step++) {
        records = await write(situation.store, records, someKey(by), by);
        if (step % 6 === 5) await compare(situation.store, records, by, `run ${seed}, step ${step}`);
      }
      for (const { key } of records) await situation.store.delete(key);
    }
  }),
];
