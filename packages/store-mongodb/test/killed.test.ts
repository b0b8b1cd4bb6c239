import { isTinyAgentsError, manualClock } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type MongodbBackend, mongodbBackend } from "../src/index.js";
import { client, database, missing, newPlace } from "./place.js";
import { isWrite, wrappedDb } from "./wrapped-db.js";

const LARGE = "large ".repeat(1_000);
const CHUNKS = { chunkBytes: 1_024 };
const DAY_MS = 24 * 3_600_000;

/** What a process was told is done: each value that record `a` had, and what was appended. */
interface Told {
  readonly values: (string | undefined)[];
  readonly appended: string[];
}

type Step = (backend: MongodbBackend) => Promise<Partial<Told>>;

function put(value: string): Step {
  return async ({ store }) => {
    await store.put(["a"], { type: "text", text: value });
    return { values: [value] };
  };
}

function append(idempotencyKey: string, ...appended: string[]): Step {
  return async ({ log }) => {
    await log.append("s", appended, { idempotencyKey });
    return { appended };
  };
}

/** What a process does, as long as it lives. */
const STEPS: readonly Step[] = [
  put("small"),
  append("0", "0a", "0b"),
  put(LARGE),
  append("1", "1a", LARGE),
  put(`${LARGE}2`),
  append("2", "2a", "2b"),
  append("3", "3a", "3b"),
  async ({ store }) => {
    await store.delete(["a"]);
    return { values: [undefined] };
  },
];

/** What the steps leave, one after the other. */
const VALUES_OF_A = [undefined, "small", LARGE, `${LARGE}2`, undefined];
const ALL_APPENDED = ["0a", "0b", "1a", LARGE, "2a", "2b", "3a", "3b"];

/** Does all steps until a write fails; all writes after it fail as well, as those of a process that is gone. */
async function live(place: object, failAt: number, isDone: boolean): Promise<{ told: Told; died: boolean }> {
  let writes = 0;
  let died = false;
  const db = wrappedDb(client.db(database), async (call, run) => {
    if (!isWrite(call)) return died ? Promise.reject(new Error("gone")) : run();
    if (died || ++writes < failAt) return died ? Promise.reject(new Error("gone")) : run();
    died = true;
    if (isDone) await run();
    throw new Error("gone");
  });
  const told: Told = { values: [undefined], appended: [] };
  let backend: MongodbBackend | undefined;
  try {
    backend = await mongodbBackend({
      ...place,
      ...CHUNKS,
      db,
      createIndexes: false,
      url: undefined,
      database: undefined,
    });
    for (const step of STEPS) {
      const { values = [], appended = [] } = await step(backend);
      told.values.push(...values);
      told.appended.push(...appended);
    }
  } catch (error) {
    if (!isTinyAgentsError(error, "store_failed")) throw error;
  }
  await backend?.close();
  return { told, died };
}

describe("a process that ends between two writes (STO-08, ST-05, CNF-04)", () => {
  for (const isDone of [false, true]) {
    it(`loses nothing it was told is done, and leaves nothing in part: ${isDone ? "after" : "before"} each write in turn`, async ({
      skip,
    }) => {
      skip(missing !== undefined, missing);
      let failAt = 0;
      for (let died = true; died; ) {
        const clock = manualClock();
        const place = { ...newPlace(), clock };
        const life = await live(place, ++failAt, isDone);
        died = life.died;
        await clock.advance(DAY_MS + 1);
        const next = await mongodbBackend({ ...place, ...CHUNKS });
        await check(next, life.told, `write ${failAt}`);
        await next.close();
        expect(await leftovers(place.collectionPrefix as string), `write ${failAt}`).toEqual({ chunks: 0, owners: 0 });
      }
      expect(failAt).toBeGreaterThan(40);
    }, 300_000);
  }
});

async function check({ store, log }: MongodbBackend, { values, appended }: Told, when: string): Promise<void> {
  const found = (await store.get(["a"]))?.value;
  const value = found?.type === "text" ? found.text : undefined;
  expect(VALUES_OF_A.slice(values.length - 1, values.length + 1), when).toContain(value);
  const records = await log.read("s");
  const kept = records.map((record) => record.value);
  expect(kept.slice(0, appended.length), when).toEqual(appended);
  expect([appended.length, appended.length + 2], when).toContain(kept.length);
  expect(
    records.map(({ offset }) => offset),
    when,
  ).toEqual(kept.map((_, index) => index));
  // Whoever repeats what was not acknowledged gets it once, and all comes to its end.
  for (let i = 0; i < ALL_APPENDED.length; i += 2)
    expect(await log.append("s", ALL_APPENDED.slice(i, i + 2), { idempotencyKey: String(i / 2) }), when).toBe(i);
  expect(
    (await log.read("s")).map((record) => record.value),
    when,
  ).toEqual(ALL_APPENDED);
  await store.delete(["a"]);
  await log.delete("s");
}

/** What is in no record and no stream. */
async function leftovers(prefix: string): Promise<object> {
  const count = (name: string) => client.db(database).collection(`${prefix}${name}`).countDocuments();
  return { chunks: await count("chunks"), owners: await count("owners") };
}
