import type { JsonObject } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { type MongodbBackend, mongodbBackend } from "../src/index.js";
import { client, database, keep, missing, newPlace } from "./place.js";

type Damage = (
  collection: (name: string) => ReturnType<ReturnType<typeof client.db>["collection"]>,
) => Promise<unknown>;

/** A backend with records, logs and large values, of which somebody has damaged something. */
async function damaged(damage: Damage): Promise<MongodbBackend> {
  const place = newPlace({ chunkBytes: 1_024 });
  const backend = keep(await mongodbBackend(place));
  await backend.store.put(["a"], { type: "json", value: { n: 1 } }, { attributes: { kind: "run" } });
  await backend.store.put(["large"], { type: "text", text: "x".repeat(3_000) });
  for (const value of ["0", "1", "2", "3"]) await backend.log.append("s", [value], { idempotencyKey: value });
  await damage((name) => client.db(database).collection(`${place.collectionPrefix}${name}`));
  // Another, which remembers nothing.
  return keep(await mongodbBackend(place));
}

const A = { version: { $exists: true }, type: "json" };
const LARGE = { type: "text" };
const ONE = { first: 1 };

function set(name: string, filter: object, fields: object): Damage {
  return (collection) => collection(name).updateOne(filter, { $set: fields });
}

describe("damaged documents (DG-04)", () => {
  const records: readonly [string, Damage, string][] = [
    ["a body that is not JSON", set("records", A, { body: '{"n":' }), 'record ["a"].body'],
    [
      "a body that is gone",
      (collection) => collection("records").updateOne(A, { $unset: { body: 1 } }),
      'record ["a"].body',
    ],
    ["a body of another type", set("records", A, { type: "bytes" }), 'record ["a"].body'],
    ["a kind that nobody knows", set("records", A, { type: "date" }), 'record ["a"].type'],
    ["attributes that are none", set("records", A, { attributes: ["kind"] }), 'record ["a"].attributes[0]'],
    ["no version", set("records", A, { version: 1 }), 'record ["a"].version'],
    ["an expiry that is no time", set("records", A, { expiresAtMs: "soon" }), 'record ["a"].expiresAtMs'],
    ["no time of writing", set("records", A, { updatedAtMs: null }), 'record ["a"].updatedAtMs'],
  ];
  for (const [name, damage, place] of records) {
    it(`are told by get and by list, with their place: ${name}`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { store } = await damaged(damage);
      const wanted = { code: "corrupt_data", details: { place } };
      await expect(store.get(["a"])).rejects.toMatchObject(wanted);
      await expect(store.list({ prefix: [] })).rejects.toMatchObject(wanted);
    });
  }

  const chunks: readonly [string, Damage][] = [
    ["is gone", (collection) => collection("chunks").deleteOne({})],
    ["is cut short", (collection) => collection("chunks").updateOne({}, { $set: { data: new Uint8Array(3) } })],
    ["is too long", (collection) => collection("chunks").updateOne({}, { $set: { data: new Uint8Array(3_000) } })],
    [
      "is no text",
      (collection) => collection("chunks").updateOne({}, { $set: { data: new Uint8Array(1_024).fill(0xff) } }),
    ],
    ["is no bytes", (collection) => collection("chunks").updateOne({}, { $set: { data: "text" } })],
    ["is led to by nothing", set("records", LARGE, { chunks: "somewhere" })],
  ];
  for (const [name, damage] of chunks) {
    it(`are told with their place: a chunk that ${name}`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { store } = await damaged(damage);
      const details = { place: expect.stringMatching(/^record \["large"\]\.chunks/) as string };
      await expect(store.get(["large"])).rejects.toMatchObject({ code: "corrupt_data", details });
      expect((await store.get(["a"]))?.value).toEqual({ type: "json", value: { n: 1 } });
    });
  }

  const logs: readonly [string, Damage, string][] = [
    ["an append that is gone", (collection) => collection("appends").deleteOne(ONE), 'stream "s" at 1'],
    ["values that are not JSON", set("appends", ONE, { body: '["1"' }), 'stream "s" at 1'],
    ["more values than were appended", set("appends", ONE, { body: '["1","2"]' }), 'stream "s" at 1'],
    ["an append of nothing", set("appends", ONE, { count: 0 }), 'stream "s".count'],
    ["a stream without an end", set("streams", {}, { head: 9 }), 'stream "s"'],
    ["a stream whose last append is gone", set("streams", {}, { last: null }), 'stream "s".last'],
  ];
  for (const [name, damage, place] of logs) {
    it(`are told by a read of their stream, with their place: ${name}`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { log } = await damaged(damage);
      const wanted = { code: "corrupt_data", details: { place } };
      await expect(log.read("s")).rejects.toMatchObject(wanted);
      await expect(log.read("s", { order: "descending" })).rejects.toMatchObject(wanted);
    });
  }

  it("are told with their place: an idempotency key, and a name", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { log, store } = await damaged(async (collection) => {
      await collection("keys").updateMany({}, { $set: { hash: 1 } });
      await collection("streams").insertOne({ _id: "xyz" as never });
      await collection("records").insertOne({ _id: "zz" as never, type: "json" });
    });
    const keyed = log.append("s", ["1"], { idempotencyKey: "1" });
    await expect(keyed).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: 'idempotency key "1" of stream "s".hash' },
    });
    expect(await log.streams()).toEqual(["s"]);
    expect((await store.list({ prefix: [] })).items).toHaveLength(2);
  });
});

describe("data that looks like something else (SE-05, SE-06)", () => {
  const envelopes: readonly JsonObject[] = [
    { $oid: "5f43a1b2c3d4e5f6a7b8c9d0" },
    { $date: { $numberLong: "0" } },
    { _bsontype: "ObjectId", id: "x" },
    { body: "x", chunks: { owner: "other", bytes: 3 }, type: "bytes" },
    { first: 0, count: 1, last: { chunks: { owner: "x" } } },
    { $where: "sleep(1000)", "a.b": { $gt: "" } },
  ];

  it("comes back as the data that it is, under a key and in a log", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const backend = keep(await mongodbBackend(newPlace()));
    for (const [index, value] of envelopes.entries()) await backend.store.put([String(index)], { type: "json", value });
    await backend.log.append("s", envelopes);
    const items = (await backend.store.list({ prefix: [] })).items.map(({ value }) => value);
    expect(items).toEqual(envelopes.map((value) => ({ type: "json", value })));
    expect((await backend.log.read("s")).map(({ value }) => value)).toEqual(envelopes);
  });

  it("selects nothing but itself, as an attribute, a version, a name or a cursor", async ({ skip }) => {
    skip(missing !== undefined, missing);
    const { store, log } = keep(await mongodbBackend(newPlace()));
    await store.put(["tenant"], { type: "text", text: "secret" }, { attributes: { $gt: "", "a.b": 1 } });
    await log.append("*", ["kept"]);
    expect((await store.list({ prefix: [], where: { $gt: "" } })).items).toHaveLength(1);
    for (const where of [{ $ne: "x" }, { $exists: true }, { "a.b": "1" }, { a: 1 }])
      expect((await store.list({ prefix: [], where })).items).toEqual([]);
    const injected = { $ne: null } as never;
    for (const call of [
      () => store.put(["tenant"], { type: "text", text: "x" }, { ifVersion: injected }),
      () => store.delete(["tenant"], { ifVersion: injected }),
      () => store.get(injected),
      () => store.list({ prefix: injected }),
      () => store.list({ prefix: [], cursor: injected }),
      () => log.delete(injected),
      () => log.append("s", ["x"], { idempotencyKey: injected }),
      () => log.read("s", { from: injected }),
    ])
      await expect(call()).rejects.toMatchObject({ code: "invalid_request" });
    for (const name of [".*", "^", "$", "[^]*"]) {
      expect(await log.delete(name)).toBe(false);
      expect(await store.delete([name])).toBe(false);
    }
    expect(await log.streams()).toEqual(["*"]);
    expect((await store.get(["tenant"]))?.value).toEqual({ type: "text", text: "secret" });
  });
});
