import { runChecks, storeChecks, storeUnderTest } from "@tinyagents/conformance";
import type { StoreOperation, StoreValue } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type MongodbBackend, type MongodbDb, type MongodbSession, mongodbBackend } from "../src/index.js";
import { client, database, missing, newPlace, open } from "./place.js";
import { wrappedDb } from "./wrapped-db.js";

const RECORDS = "records";

/**
 * A server that has transactions, played over one that may have none: one at a time, and when one fails, the records are as
 * they were. The first attempt of each is told to be repeated.
 */
function withTransactions(db: MongodbDb, collectionPrefix: string): MongodbDb {
  let before: Promise<unknown> = Promise.resolve();
  const records = client.db(database).collection(`${collectionPrefix}${RECORDS}`);
  const attempt = async <T>(work: () => Promise<T>, isKept: boolean): Promise<T | undefined> => {
    const saved = await records.find().toArray();
    const restore = async (): Promise<void> => {
      await records.deleteMany({});
      if (saved.length > 0) await records.insertMany(saved);
    };
    try {
      const result = await work();
      if (!isKept) await restore();
      return result;
    } catch (error) {
      await restore();
      throw error;
    }
  };
  const session = (): MongodbSession => ({
    withTransaction<T>(work: () => Promise<T>): Promise<T> {
      const turn = before.then(async () => {
        await attempt(work, false);
        return (await attempt(work, true)) as T;
      });
      before = turn.catch(() => undefined);
      return turn;
    },
    async endSession() {},
  });
  // The session of another server is nothing to this one.
  const inner = wrappedDb(db, ({ args }, run) => {
    const options = args.at(-1) as { session?: unknown } | undefined;
    if (options?.session !== undefined) delete options.session;
    return run();
  });
  return {
    client: { startSession: session },
    collection: inner.collection,
    command: async (command) => ({ ...(await db.command(command)), setName: "played" }),
  };
}

async function played(chunkBytes = 1_024): Promise<{ backend: MongodbBackend; collectionPrefix: string }> {
  const collectionPrefix = newPlace().collectionPrefix as string;
  const db = withTransactions(client.db(database), collectionPrefix);
  return { backend: await mongodbBackend({ db, collectionPrefix, chunkBytes }), collectionPrefix };
}

function put(name: string, text: string, ifVersion?: string | null): StoreOperation {
  return {
    type: "put",
    key: [name],
    value: { type: "text", text },
    ...(ifVersion === undefined ? {} : { options: { ifVersion } }),
  };
}

describe("batches where the server has transactions (STO-08)", () => {
  it("keep the contract of batches: all or nothing", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const subject = { name: "played", create: () => ({ open: async () => (await played()).backend }) };
    const batches = storeChecks.filter(({ group }) => group === "batches");
    const report = await runChecks(batches, () => storeUnderTest(subject), { name: "played", timeoutMs: 60_000 });
    expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
    expect(report.passed).toBeGreaterThan(3);
  });

  it("leave no chunk of what was not done, and none of what was replaced", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { backend, collectionPrefix } = await played();
    const { store } = backend;
    const chunks = (): Promise<number> => client.db(database).collection(`${collectionPrefix}chunks`).countDocuments();
    const large = "x".repeat(3_000);
    await store.batch([put("a", large), put("b", large)]);
    const before = await chunks();
    await expect(store.batch([put("a", "small"), put("c", large), put("b", "x", null)])).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await chunks()).toBe(before);
    expect((await store.get(["a"]))?.value).toEqual({ type: "text", text: large });
    await store.batch([put("a", "small"), put("a", large), { type: "delete", key: ["b"] }]);
    expect(await chunks()).toBe(before / 2);
    await backend.close();
  });
});

describe("batches where the server has none, or is told to use none (STO-08)", () => {
  it("are not claimed to be atomic: one stops at the write that fails, and those before it stay", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { store } = await open({ transactions: false });
    expect(store.capabilities.atomicBatch).toBe(false);
    const value: StoreValue = { type: "text", text: "there" };
    await store.put(["b"], value);
    await expect(store.batch([put("a", "new"), put("b", "x", null), put("c", "x")])).rejects.toMatchObject({
      code: "conflict",
    });
    expect((await store.get(["a"]))?.value).toEqual({ type: "text", text: "new" });
    expect((await store.get(["b"]))?.value).toEqual(value);
    expect(await store.get(["c"])).toBeUndefined();
  });
});
