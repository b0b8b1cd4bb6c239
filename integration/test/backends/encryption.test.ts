import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { type AppendStore, manualClock, type Store, type StoreRecord } from "@tinyagents/core";
import { encryptedLog, encryptedStore } from "@tinyagents/persistence";
import { memoryAppendStore, memoryBackend, memoryStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { onBackends } from "./on-backends.js";

const ONE = { keys: { k1: new Uint8Array(32).fill(1) }, currentKeyId: "k1" };
const TWO = { keys: { ...ONE.keys, k2: new Uint8Array(32).fill(2) }, currentKeyId: "k2" };
const CANARY = "canary-4be1";

/** What is encrypted is a store like any other. */
const encrypted = {
  name: "what is encrypted (STO-01, STO-03, SE-05, CNF-04)",
  create: () => {
    const clock = manualClock();
    const backend = memoryBackend({ clock });
    return {
      open: () => ({
        store: encryptedStore(backend.store, { ...ONE, clock }) as Store,
        log: encryptedLog(backend.log, ONE),
        close: () => backend.close(),
      }),
      advance: (ms: number) => clock.advance(ms),
    };
  },
};

storeConformance(encrypted);
appendStoreConformance(encrypted);

/** Everything that a backend holds, as text. */
async function stored(store: Store, log: AppendStore): Promise<string> {
  const { items } = await store.list({ prefix: [] });
  const texts = items.map(({ value }) =>
    value.type === "bytes" ? String.fromCharCode(...value.bytes) : JSON.stringify(value),
  );
  const entries = await Promise.all((await log.streams()).map((name) => log.read(name)));
  return texts.join() + JSON.stringify(entries);
}

onBackends("what is encrypted in a backend", (opened) => {
  it("is nowhere in it, and comes back when it is opened again", async () => {
    const { store, log } = opened().backend;
    await encryptedStore(store, ONE).put(
      ["a"],
      { type: "json", value: { text: CANARY } },
      { attributes: { kind: "x" } },
    );
    await encryptedLog(log, ONE).append("s", [CANARY, { v: 1, type: "sealed", keyId: "k1", data: CANARY }]);
    expect(await stored(store, log)).not.toContain(CANARY);
    const again = await opened().reopen();
    const { items } = await encryptedStore(again.store, ONE).list({ prefix: [], where: { kind: "x" } });
    expect(items[0]).toMatchObject({ key: ["a"], value: { type: "json", value: { text: CANARY } } });
    expect((await encryptedLog(again.log, ONE).read("s")).map(({ value }) => value)).toEqual([
      CANARY,
      { v: 1, type: "sealed", keyId: "k1", data: CANARY },
    ]);
  });

  it("is written anew by a new key, in steps, and then needs the old one no more", async () => {
    const { store } = opened().backend;
    const old = encryptedStore(store, ONE);
    for (const name of ["1", "2", "3", "4"])
      await old.put(["a", name], { type: "text", text: name }, { attributes: { name } });
    await old.put(["b"], { type: "text", text: "b" });
    const both = encryptedStore(store, TWO);
    await both.put(["a", "2"], { type: "text", text: "new" });
    const first = await both.reencrypt({ prefix: ["a"], limit: 3 });
    expect([first.written, typeof first.cursor]).toEqual([2, "string"]);
    expect(await both.reencrypt({ prefix: ["a"], limit: 3, cursor: first.cursor })).toEqual({ written: 1 });
    const only = encryptedStore(store, { keys: { k2: TWO.keys.k2 }, currentKeyId: "k2" });
    const { items } = await only.list({ prefix: ["a"] });
    expect(items.map(({ value, attributes }) => [value.type === "text" && value.text, attributes])).toEqual([
      ["1", { name: "1" }],
      ["new", {}],
      ["3", { name: "3" }],
      ["4", { name: "4" }],
    ]);
    await expect(only.get(["b"])).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining('by the key "k1", which is not among the keys'),
    });
  });
});

/** A store with one record, and a way to put what an attacker likes into the place of another. */
async function withRecord() {
  const store = memoryStore();
  await encryptedStore(store, ONE).put(["a"], { type: "text", text: CANARY }, { attributes: { owner: "ann" } });
  const record = (await store.get(["a"])) as StoreRecord & { value: { type: "bytes"; bytes: Uint8Array } };
  return { store, record, read: (key: string) => encryptedStore(store, ONE).get([key]) };
}

describe("a record that somebody else has put there (SE-05, DG-04)", () => {
  it("does not open when it was moved to another key, or has other attributes", async () => {
    const { store, record, read } = await withRecord();
    await store.put(["b"], record.value, { attributes: record.attributes });
    await store.put(["a"], record.value, { attributes: { owner: "eve" } });
    for (const key of ["a", "b"])
      await expect(read(key)).rejects.toMatchObject({ code: "corrupt_data", details: { place: `record ["${key}"]` } });
  });

  it("does not open when any byte of it was changed or is missing, and the error says nothing of what it holds", async () => {
    const { store, record, read } = await withRecord();
    const { bytes } = record.value;
    for (let at = 0; at < bytes.length; at++) {
      const changed = Uint8Array.from(bytes, (byte, index) => (index === at ? byte ^ 1 : byte));
      await store.put(["a"], { type: "bytes", bytes: changed }, { attributes: record.attributes });
      const error = await read("a").then(String, (thrown: { code: string; message: string }) => thrown);
      expect(error).toMatchObject({ code: expect.stringMatching(/corrupt_data|version_mismatch|store_failed/) });
      expect(JSON.stringify(error)).not.toContain(CANARY);
      await store.put(["a"], { type: "bytes", bytes: bytes.slice(0, at) }, { attributes: record.attributes });
      await expect(read("a")).rejects.toMatchObject({ code: expect.stringMatching(/corrupt_data|store_failed/) });
    }
  });

  it("does not open when it was never encrypted", async () => {
    const { store, read } = await withRecord();
    await store.put(["a"], { type: "text", text: "plain" });
    await expect(read("a")).rejects.toMatchObject({ code: "corrupt_data", details: { reason: "it is not encrypted" } });
  });

  it("holds the same value twice in different bytes", async () => {
    const { store, record } = await withRecord();
    await encryptedStore(store, ONE).put(["a"], { type: "text", text: CANARY }, { attributes: { owner: "ann" } });
    expect((await store.get(["a"]))?.value).not.toEqual(record.value);
  });
});

describe("writing records anew by another key", () => {
  it("keeps when they expire, and leaves to others what they write meanwhile", async () => {
    const clock = manualClock();
    const store = memoryStore({ clock });
    const old = encryptedStore(store, { ...ONE, clock });
    await old.put(["short"], { type: "text", text: "x" }, { ttlMs: 100 });
    await old.put(["taken"], { type: "text", text: "x" });
    await clock.advance(60);
    const racing: Store = {
      ...store,
      async put(key, value, options) {
        if (key[0] === "taken") await encryptedStore(store, TWO).put(key, { type: "text", text: "theirs" });
        return store.put(key, value, options);
      },
    };
    const both = encryptedStore(racing, { ...TWO, clock });
    expect(await both.reencrypt({ prefix: [] })).toEqual({ written: 1 });
    expect((await both.get(["taken"]))?.value).toEqual({ type: "text", text: "theirs" });
    expect(await both.get(["short"])).toBeDefined();
    await clock.advance(40);
    expect(await both.get(["short"])).toBeUndefined();
  });

  it("is done again from the start after a process was killed, and loses nothing", async () => {
    for (let write = 1; write <= 3; write++) {
      const store = memoryStore();
      for (const name of ["1", "2", "3"]) await encryptedStore(store, ONE).put([name], { type: "text", text: name });
      const dying = failAt(store, write, { stayDown: true }).subject;
      await expect(encryptedStore(dying, TWO).reencrypt({ prefix: [] })).rejects.toThrow();
      expect(await encryptedStore(store, TWO).reencrypt({ prefix: [] })).toEqual({ written: 4 - write });
      expect((await encryptedStore(store, TWO).list({ prefix: [] })).items.length).toBe(3);
    }
  });
});

describe("a log that is encrypted", () => {
  it("knows a repeated append, also by a newer key, and refuses other values", async () => {
    const inner = memoryAppendStore();
    const options = { idempotencyKey: "once" };
    expect(await encryptedLog(inner, ONE).append("s", ["a", "b"], options)).toBe(0);
    expect(await encryptedLog(inner, ONE).append("s", ["a", "b"], options)).toBe(0);
    expect(await encryptedLog(inner, TWO).append("s", ["a", "b"], options)).toBe(0);
    await expect(encryptedLog(inner, TWO).append("s", ["a", "c"], options)).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect((await encryptedLog(inner, TWO).read("s")).map(({ value }) => value)).toEqual(["a", "b"]);
  });

  it("does not open what was moved to another stream, was changed, or is no entry of ours", async () => {
    const inner = memoryAppendStore();
    await encryptedLog(inner, ONE).append("s", [CANARY]);
    const entry = (await inner.read("s"))[0]?.value as { readonly data: string };
    await inner.append("moved", [entry as never]);
    await inner.append("changed", [{ ...entry, data: `A${entry.data.slice(1)}` } as never]);
    await inner.append("short", [{ ...entry, data: "AAAA" } as never]);
    await inner.append("odd", [{ ...entry, data: "*" } as never]);
    await inner.append("plain", ["plain"]);
    for (const stream of ["moved", "changed", "short", "odd", "plain"]) {
      const error = await encryptedLog(inner, ONE)
        .read(stream)
        .then(String, (thrown: { code: string }) => thrown);
      expect(error).toMatchObject({ code: "corrupt_data" });
      expect(JSON.stringify(error)).toContain(`stream \\"${stream}\\" at offset 0`);
    }
    await expect(
      encryptedLog(inner, { keys: { k9: new Uint8Array(32) }, currentKeyId: "k9" }).read("s"),
    ).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining('"k1"') });
  });
});

it("keys that cannot be are refused at once", () => {
  const key = new Uint8Array(32);
  for (const keys of [
    { keys: { a: new Uint8Array(16) }, currentKeyId: "a" },
    { keys: { a: key }, currentKeyId: "b" },
    { keys: { "": key }, currentKeyId: "" },
    { keys: { a: "text" as never }, currentKeyId: "a" },
  ]) {
    expect(() => encryptedStore(memoryStore(), keys)).toThrow(TypeError);
    expect(() => encryptedLog(memoryAppendStore(), keys)).toThrow(TypeError);
  }
});
