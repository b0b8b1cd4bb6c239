import { connect, createServer, type Socket } from "node:net";
import { isTinyAgentsError } from "@tinyagents/core";
import { MongoClient } from "mongodb";
import { describe, expect, it } from "vitest";
import { createMongodbIndexes, type MongodbBackendOptions, mongodbBackend } from "../src/index.js";
import { client, database, missing, newPlace, url } from "./place.js";

/** Stands before the server, and counts who is connected to it. */
async function counted(): Promise<{ url: string; open(): number; cut(): void; close(): void }> {
  const sockets = new Set<Socket>();
  const { hosts } = new MongoClient(url).options;
  const { host, port, socketPath } = hosts[0] as { host?: string; port?: number; socketPath?: string };
  const server = createServer((socket) => {
    sockets.add(socket);
    const onward = socketPath === undefined ? connect(port as number, host) : connect(socketPath);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      onward.destroy();
    });
    onward.on("close", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as { port: number };
  return {
    url: `mongodb://127.0.0.1:${address.port}/?directConnection=true`,
    open: () => sockets.size,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => server.close(),
  };
}

/** By hand, 1,000. */
const TIMES = Number(process.env.TINYAGENTS_MONGODB_OPENS ?? 30);

async function settled(open: () => number): Promise<number> {
  for (let i = 0; i < 200 && open() > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  return open();
}

describe("connections (ST-06)", () => {
  it("are as many after backends were opened and closed often as before", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const gate = await counted();
    const place = newPlace({ createIndexes: false });
    let most = 0;
    for (let i = 0; i < TIMES; i++) {
      const backend = await mongodbBackend({ ...place, url: gate.url });
      await backend.store.get(["a"]);
      most = Math.max(most, gate.open());
      await backend.close();
    }
    expect(await settled(gate.open)).toBe(0);
    // What watches the server, what calls it, and one that is just closing.
    expect(most).toBeLessThan(8);
    gate.close();
  }, 600_000);

  it("are let go when opening fails after they were made", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const gate = await counted();
    const place = newPlace();
    await client
      .db(database)
      .collection(`${place.collectionPrefix}schema`)
      .insertOne({ _id: "schema" as never, v: 2 });
    for (let i = 0; i < TIMES; i++) {
      const opening = mongodbBackend({ ...place, url: gate.url });
      await expect(opening).rejects.toMatchObject({ code: "version_mismatch", details: { expected: 1, found: 2 } });
    }
    expect(await settled(gate.open)).toBe(0);
    gate.close();
  }, 600_000);

  it("of the caller stay open, and are used for all", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const gate = await counted();
    const own = new MongoClient(gate.url);
    const { collectionPrefix } = newPlace();
    const before = await mongodbBackend({ db: own.db(database), collectionPrefix });
    await before.store.put(["a"], { type: "text", text: "x" });
    await before.close();
    await before.close();
    await expect(before.store.get(["a"])).rejects.toMatchObject({ code: "store_failed" });
    const again = await mongodbBackend({
      db: own.db(database, { promoteBuffers: true, useBigInt64: true }),
      collectionPrefix,
    });
    expect((await again.store.get(["a"]))?.value).toEqual({ type: "text", text: "x" });
    await again.close();
    expect(await own.db(database).command({ ping: 1 })).toMatchObject({ ok: 1 });
    await own.close();
    gate.close();
  });

  it("that are cut fail what is under way with store_failed, which a repeat can help, and are made anew", async ({
    skip,
  }) => {
    skip(missing !== undefined, missing);
    const gate = await counted();
    const backend = await mongodbBackend({ ...newPlace(), url: gate.url });
    await backend.store.put(["a"], { type: "text", text: "before" });
    const writing = Array.from({ length: 20 }, (_, i) => backend.log.append(`s${i}`, ["x"], { idempotencyKey: "k" }));
    setTimeout(gate.cut, 5);
    const outcomes = await Promise.allSettled(writing);
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      const error: unknown = outcome.reason;
      expect(isTinyAgentsError(error, "store_failed") && error.retryable).toBe(true);
    }
    for (let i = 0; i < 20; i++) {
      expect(await backend.log.append(`s${i}`, ["x"], { idempotencyKey: "k" })).toBe(0);
      expect(await backend.log.head(`s${i}`)).toBe(1);
    }
    await backend.close();
    gate.close();
  });

  it("that cannot be made are told with store_failed, without the password", async () => {
    const options = { url: "mongodb://me:s3cret-word@127.0.0.1:1/", database: "d", connectTimeoutMs: 200 };
    const error = await mongodbBackend(options).catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "store_failed") && error.retryable).toBe(true);
    expect(JSON.stringify(error) + String((error as Error).stack) + String((error as Error).cause)).not.toContain(
      "s3cret",
    );
  });
});

describe("mongodbBackend (STO-08)", () => {
  const wrong: readonly [string, object][] = [
    [": either a url or a db is expected", {}],
    [".url: a connection string", { url: "http://127.0.0.1", database: "d" }],
    [".database: a name", { url: "mongodb://127.0.0.1", database: "a.b" }],
    [".database: a name", { url: "mongodb://127.0.0.1" }],
    [".connectTimeoutMs: a number", { url: "mongodb://127.0.0.1", database: "d", connectTimeoutMs: 0 }],
    [".collectionPrefix: 1 to 60", { url: "mongodb://127.0.0.1", database: "d", collectionPrefix: "a$b" }],
    [".collectionPrefix: 1 to 60", { url: "mongodb://127.0.0.1", database: "d", collectionPrefix: "system_" }],
    [".collectionPrefix: 1 to 60", { url: "mongodb://127.0.0.1", database: "d", collectionPrefix: "" }],
    [".chunkBytes: a whole number", { url: "mongodb://127.0.0.1", database: "d", chunkBytes: 15 * 1024 * 1024 }],
    ['.transactions: "auto", true or false', { url: "mongodb://127.0.0.1", database: "d", transactions: "yes" }],
    [".createIndexes: a boolean", { url: "mongodb://127.0.0.1", database: "d", createIndexes: "no" }],
    [".db: a Db", { db: {} }],
    [".db: a database", { db: { collection() {}, command() {} }, database: "d" }],
    [".clock: a Clock", { url: "mongodb://127.0.0.1", database: "d", clock: Date }],
    [".tablePrefix: there is no such field", { url: "mongodb://127.0.0.1", database: "d", tablePrefix: "a_" }],
  ];
  it("refuses options that cannot be with a TypeError that names them", async () => {
    for (const [message, options] of wrong) {
      const opening = mongodbBackend(options as MongodbBackendOptions);
      await expect(opening).rejects.toThrow(new RegExp(`^mongodbBackend: options${message}`));
      await expect(opening).rejects.toBeInstanceOf(TypeError);
    }
  });

  it("makes no collection where it is told to make none, and finds those that were made before", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { collectionPrefix } = newPlace();
    const db = client.db(database);
    const found = async () =>
      (await db.listCollections().toArray()).filter(({ name }) => name.startsWith(collectionPrefix ?? "?"));
    await (await mongodbBackend({ db, collectionPrefix, createIndexes: false })).close();
    expect(await found()).toEqual([]);
    await createMongodbIndexes(db, { collectionPrefix });
    await createMongodbIndexes(db, { collectionPrefix });
    const indexes = await db.collection(`${collectionPrefix}records`).indexes();
    expect(indexes.map(({ key }) => key)).toContainEqual({ attributes: 1, _id: 1 });
    const backend = await mongodbBackend({ db, collectionPrefix, createIndexes: false });
    await backend.store.put(["a"], { type: "text", text: "x" });
    await backend.close();
  });

  it("says that there are no transactions where they are required and the server has none", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { setName, msg } = await client.db(database).command({ hello: 1 });
    skip(setName !== undefined || msg === "isdbgrid", "this server has transactions");
    const opening = mongodbBackend({ ...newPlace(), transactions: true });
    await expect(opening).rejects.toMatchObject({ code: "invalid_request" });
  });
});
