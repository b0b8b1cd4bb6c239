import type { Document } from "mongodb";
import { describe, expect, it } from "vitest";
import { mongodbBackend } from "../src/index.js";
import { client, database, keep, missing, newPlace, open } from "./place.js";
import { type Call, wrappedDb } from "./wrapped-db.js";

/** The stages of a plan, outermost first. */
function stages(plan: Document): readonly string[] {
  const inner = plan.inputStage as Document | undefined;
  return [String(plan.stage), ...(inner === undefined ? [] : stages(inner))];
}

/** The plan of what a backend asks for, and how much it looked at for it. */
async function explained(
  name: string,
  filter: object,
  sort: object,
): Promise<{ stages: readonly string[]; looked: number }> {
  const plan = await client
    .db(database)
    .collection(name)
    .find(filter)
    .sort(sort as never)
    .limit(11)
    .explain("executionStats");
  const { winningPlan } = plan.queryPlanner;
  return {
    stages: stages(winningPlan.queryPlan ?? winningPlan),
    looked: plan.executionStats.totalDocsExamined as number,
  };
}

describe("what is asked of the server (PF-03)", () => {
  it("is all attributes of a selection: pages are full, whatever has some of them", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { store } = await open();
    const value = { type: "text", text: "x" } as const;
    for (const name of ["a", "b", "c"]) await store.put([name], value, { attributes: { kind: "note" } });
    await store.put(["d"], value, { attributes: { kind: "note", owner: "ada" } });
    const page = await store.list({ prefix: [], where: { kind: "note", owner: "ada" }, limit: 1 });
    expect(page.items.map(({ key }) => key)).toEqual([["d"]]);
    expect(page).not.toHaveProperty("cursor");
  });

  it("is read from an index, in order, and no more of it than a page", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const db = client.db(database);
    const { ferretdbVersion } = await db.command({ buildInfo: 1 });
    skip(ferretdbVersion !== undefined, "FerretDB, which has no query plans of its own, cannot say");
    const asked: { name: string; filter: object }[] = [];
    const onFind = (name: string, filter: object): void => void asked.push({ name, filter });
    const { collectionPrefix } = newPlace();
    const watched = wrappedDb(db, (_, run) => run(), onFind);
    const { store, log } = keep(await mongodbBackend({ db: watched, collectionPrefix }));
    for (let i = 0; i < 500; i++) {
      await store.put(["runs", String(i)], { type: "json", value: i }, { attributes: { open: i % 5 === 0, one: 1 } });
      await log.append("s", [i]);
    }
    asked.length = 0;
    const cursor = (await store.list({ prefix: ["runs"], limit: 50 })).cursor;
    for (const order of ["ascending", "descending"] as const) {
      await store.list({ prefix: ["runs"], limit: 10, order, cursor });
      await store.list({ prefix: ["runs"], limit: 10, order, where: { open: true } });
      await store.list({ prefix: [], limit: 10, order, where: { open: true, one: 1 } });
      await log.read("s", { from: 300, limit: 10, order });
    }
    await log.streams("s", { limit: 10 });
    expect(asked.length).toBeGreaterThan(8);
    for (const { name, filter } of asked) {
      for (const order of [1, -1]) {
        const plan = await explained(name, filter, { _id: order });
        expect(plan.stages).toContain("IXSCAN");
        expect(plan.stages).not.toContain("SORT");
        expect(plan.looked).toBeLessThan(70);
      }
    }
  });

  it("is held against the selection once more where a record is written again while it is read", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const place = newPlace({ chunkBytes: 1_024 });
    const { store } = keep(await mongodbBackend(place));
    await store.put(["a"], { type: "text", text: "x".repeat(5_000) }, { attributes: { kind: "note" } });
    await client.db(database).collection<{ _id: string }>(`${place.collectionPrefix}chunks`).deleteMany({});
    const db = wrappedDb(client.db(database), async ({ collection, method }, run) => {
      if (method === "findOne" && collection.endsWith("_records"))
        await store.put(["a"], { type: "text", text: "y" }, { attributes: { kind: "other" } });
      return run();
    });
    const reader = keep(await mongodbBackend({ db, collectionPrefix: place.collectionPrefix }));
    expect(await reader.store.list({ prefix: [], where: { kind: "note" } })).toEqual({ items: [] });
    expect((await store.get(["a"]))?.attributes).toEqual({ kind: "other" });
  });

  it("is a bounded number of calls, however long a stream has become", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const calls: Call[] = [];
    const db = wrappedDb(client.db(database), (call, run) => {
      calls.push(call);
      return run();
    });
    const { collectionPrefix } = newPlace();
    const { log } = keep(await mongodbBackend({ db, collectionPrefix }));
    for (let i = 0; i < 20; i++) await log.append("s", [i]);
    calls.length = 0;
    await log.append("s", [20]);
    await log.append("s", [21], { expectedOffset: 21 });
    expect(calls.map(({ method }) => method)).toEqual(["insertOne", "updateOne", "insertOne", "updateOne"]);
    calls.length = 0;
    expect(await log.head("s")).toBe(22);
    expect(await log.read("s", { order: "descending", limit: 1 })).toEqual([{ offset: 21, value: 21 }]);
    expect(calls.map(({ method }) => method)).toEqual(["findOne", "findOne"]);
  });
});
