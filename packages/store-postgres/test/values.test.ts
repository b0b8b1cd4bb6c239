import type { JsonValue, StoreValue } from "@tinyagents/core";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { PostgresBackend } from "../src/index.js";
import { MOST_BYTES } from "../src/values.js";
import { newPlace, type TestPlace, withServer } from "./support/place.js";

const MIB = 1024 * 1024;
const text = (content: string): StoreValue => ({ type: "text", text: content });

withServer("values", () => {
  let place: TestPlace;
  let backend: PostgresBackend;

  beforeEach(() => {
    place = newPlace();
    backend = place.open();
  });

  afterEach(async () => {
    await backend.close();
    await place.remove();
  });

  it("of 20 MiB, more than a document database takes, come back whole from records and logs (ST-05)", async () => {
    const bytes = new Uint8Array(20 * MIB).map((_, index) => (index * 7) % 251);
    const long = '\u0000\\"x'.repeat(5 * MIB);
    await backend.store.put(["bytes"], { type: "bytes", bytes });
    await backend.store.put(["text"], text(long));
    await backend.log.append("s", [long]);
    const found = (await backend.store.get(["bytes"]))?.value;
    expect(found?.type === "bytes" && Buffer.compare(found.bytes, bytes)).toBe(0);
    const foundText = (await backend.store.get(["text"]))?.value;
    expect(foundText?.type === "text" && foundText.text === long).toBe(true);
    expect((await backend.log.read("s"))[0]?.value === long).toBe(true);
  });

  it("that are larger than can be read back are refused before anything is written (ST-05)", async () => {
    const bytes = new Uint8Array(MOST_BYTES + 1);
    const put = backend.store.put(["a"], { type: "bytes", bytes });
    await expect(put).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("value: it takes"),
    });
    const half = "x".repeat(MOST_BYTES / 2);
    await expect(backend.log.append("s", [half, half])).rejects.toMatchObject({ code: "invalid_request" });
    const operations = ["a", "b"].map((name) => ({ type: "put", key: [name], value: text(half) }) as const);
    await expect(backend.store.batch(operations)).rejects.toMatchObject({ code: "invalid_request" });
    expect((await backend.store.list({ prefix: [] })).items).toEqual([]);
    expect(await backend.log.streams()).toEqual([]);
  });

  it("under keys and names that are too long for an index are refused, and are found nowhere", async () => {
    const long = "n".repeat(3_000);
    await expect(backend.store.put([long], text("x"))).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("key: it takes 3001 bytes"),
    });
    await expect(backend.log.append(long, [1])).rejects.toMatchObject({ code: "invalid_request" });
    expect(await backend.store.get([long])).toBeUndefined();
    expect(await backend.store.delete([long])).toBe(false);
    expect((await backend.store.list({ prefix: [long] })).items).toEqual([]);
    expect(await backend.log.head(long)).toBe(0);
  });

  it("under the longest keys and in the longest namespace are kept, with attributes and keys of any length", async () => {
    const long = place.open({ namespace: "\uffee".repeat(128) });
    const name = Array.from({ length: 2_047 }, (_, index) =>
      String.fromCharCode(97 + ((index * index * 31) % 26)),
    ).join("");
    const attributes = { ["a".repeat(10_000)]: "v".repeat(100_000) };
    await long.store.put([name], text("x"), { attributes });
    expect((await long.store.list({ prefix: [], where: attributes })).items).toHaveLength(1);
    expect(await long.log.append(name, [1], { idempotencyKey: "k".repeat(100_000) })).toBe(0);
    expect(await long.log.append(name, [1], { idempotencyKey: "k".repeat(100_000) })).toBe(0);
    expect(await long.log.streams(name)).toEqual([name]);
    await long.close();
  });

  it("that look like what the store writes come back as data (SE-05)", async () => {
    const lookalikes: readonly JsonValue[] = [
      { kind: "bytes", bytes: "AAE=", content: null },
      { type: "json", value: { type: "text" } },
      { key: "00", version: "1", at: "0", digest: "" },
      "\\x00",
      "{}",
      "{NULL}",
      { __proto__: null, constructor: { prototype: { admin: true } } },
    ];
    await backend.log.append("s", lookalikes);
    expect((await backend.log.read("s")).map(({ value }) => value)).toEqual(lookalikes);
    for (const [index, value] of lookalikes.entries()) {
      await backend.store.put([String(index)], { type: "json", value });
      expect((await backend.store.get([String(index)]))?.value).toEqual({ type: "json", value });
    }
  });

  it("of 1,000 records of one batch, and of one append in one millisecond, stay in order (ST-08)", async () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index);
    const key = (index: number) => ["k", String(index).padStart(4, "0")];
    const puts = numbers.map((value) => ({ type: "put", key: key(value), value: { type: "json", value } }) as const);
    const versions = await backend.store.batch([...puts].reverse());
    expect(new Set(versions).size).toBe(1_000);
    const { items } = await backend.store.list({ prefix: ["k"], limit: 1_000 });
    expect(items.map(({ value }) => value.type === "json" && value.value)).toEqual(numbers);
    expect(items.map(({ version }) => version)).toEqual([...versions].reverse());
    await backend.log.append("s", numbers);
    expect((await backend.log.read("s")).map(({ value }) => value)).toEqual(numbers);
  });
});
