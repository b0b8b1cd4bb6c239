import assert from "node:assert/strict";
import type { JsonValue, StoreKey } from "@tinyagents/core";
import { type Check, failsWith } from "../check.js";
import { json, keysOf, type StoreSubject, text, textOf } from "./subject.js";

const KEY: StoreKey = ["a"];

/** Names that are dangerous as object keys, patterns, paths or parts of a query. */
export const HOSTILE_NAMES: readonly string[] = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "*",
  "%",
  "_",
  "?",
  "[a-z]",
  "..",
  "a/b",
  "a\\b",
  "a:b",
  "a\u0000b",
  "' OR 1=1 --",
  '"',
  "$ne",
  " ",
  "\u{1F600}",
  "e\u0301",
];

/** What becomes of values, keys and names. */
export const valueChecks: readonly Check<StoreSubject>[] = [
  {
    name: "gives nothing for a key that was never written (STO-01)",
    async run({ store }) {
      assert.equal(await store.get(KEY), undefined);
    },
  },
  {
    name: "gives back JSON, text and bytes with their kind and exact content (STO-03)",
    async run({ store }) {
      const values = [
        json({ n: 1.5e300, list: [null, true, "", [[]], {}], "": 0, deep: { "a b": "\u2028\ud83d\ude00" } }),
        json(null),
        json("12"),
        json(-1e-7),
        text("12"),
        text(""),
        { type: "bytes", bytes: Uint8Array.of(0, 255, 128, 10, 13) },
        { type: "bytes", bytes: new Uint8Array(0) },
      ] as const;
      for (const [index, value] of values.entries()) {
        await store.put([`k${index}`], value);
        assert.deepEqual((await store.get([`k${index}`]))?.value, value);
      }
    },
  },
  {
    name: "stores -0 as the 0 that it is in JSON text",
    async run({ store }) {
      await store.put(KEY, json({ n: -0 }), { attributes: { n: -0 } });
      const record = await store.get(KEY);
      assert.deepEqual(record?.value, json({ n: 0 }));
      assert.deepEqual(record?.attributes, { n: 0 });
    },
  },
  {
    name: "keeps what was stored when the caller changes its object, bytes, key or attributes later",
    async run({ store }) {
      const value = { list: [1, { deep: "as stored" }] };
      const bytes = Uint8Array.of(1, 2, 3);
      const key = ["k"];
      const attributes = { kind: "as stored" };
      await store.put(key, json(value), { attributes });
      await store.put(["bytes"], { type: "bytes", bytes });
      (value.list[1] as { deep: string }).deep = "changed";
      value.list.push(2);
      bytes[0] = 9;
      key[0] = "other";
      attributes.kind = "changed";
      const record = await store.get(["k"]);
      assert.deepEqual(record?.value, json({ list: [1, { deep: "as stored" }] }));
      assert.deepEqual(record?.attributes, { kind: "as stored" });
      assert.deepEqual((await store.get(["bytes"]))?.value, { type: "bytes", bytes: Uint8Array.of(1, 2, 3) });
    },
  },
  {
    name: "copies bytes that are a window on a larger buffer",
    async run({ store }) {
      const buffer = Uint8Array.of(1, 2, 3, 4);
      await store.put(KEY, { type: "bytes", bytes: buffer.subarray(1, 3) });
      buffer.fill(9);
      assert.deepEqual((await store.get(KEY))?.value, { type: "bytes", bytes: Uint8Array.of(2, 3) });
    },
  },
  {
    name: "hands out records that never change and that share nothing with what is stored",
    async run({ store }) {
      await store.put(KEY, json({ list: [1] }), { attributes: { kind: "first" } });
      await store.put(["b"], { type: "bytes", bytes: Uint8Array.of(1) });
      const record = await store.get(KEY);
      const listed = (await store.list({ prefix: KEY })).items[0];
      assert.ok(record?.value.type === "json" && listed?.value.type === "json");
      const before = structuredClone(record);
      await store.put(KEY, json({ list: [2] }), { attributes: { kind: "second" } });
      assert.deepEqual(record, before);
      assert.deepEqual(listed, before);
      const handedOut = (await store.get(["b"]))?.value;
      assert.ok(handedOut?.type === "bytes");
      handedOut.bytes[0] = 9;
      const second = await store.get(KEY);
      assert.ok(second?.value.type === "json");
      (second.value.value as { list: number[] }).list.push(3);
      (second.key as string[])[0] = "changed";
      (second.attributes as { kind: string }).kind = "changed";
      assert.deepEqual(keysOf((await store.list({ prefix: [], where: { kind: "second" } })).items), [KEY]);
      assert.deepEqual((await store.get(KEY))?.value, json({ list: [2] }));
      assert.deepEqual((await store.get(["b"]))?.value, { type: "bytes", bytes: Uint8Array.of(1) });
    },
  },
  {
    name: "keeps every hostile name as a name like any other, beside its neighbours (SE-04, SE-06)",
    async run({ store }) {
      for (const name of HOSTILE_NAMES) await store.put(["t", name], text(name), { attributes: { [name]: name } });
      for (const name of HOSTILE_NAMES) {
        assert.equal(textOf(await store.get(["t", name])), name);
        assert.deepEqual(keysOf((await store.list({ prefix: ["t", name] })).items), [["t", name]]);
        const found = await store.list({ prefix: ["t"], where: { [name]: name } });
        assert.deepEqual(keysOf(found.items), [["t", name]]);
      }
      for (const [done, name] of HOSTILE_NAMES.entries()) {
        assert.equal(await store.delete(["t", name]), true);
        const left = await store.list({ prefix: ["t"] });
        assert.equal(left.items.length, HOSTILE_NAMES.length - done - 1, `deleting ${name} took one record away`);
      }
      assert.equal(Object.getPrototypeOf({}), Object.prototype);
      assert.equal(({} as { readonly t?: unknown }).t, undefined);
    },
  },
  {
    name: "keeps a key named __proto__ inside a value as a key (SE-04)",
    async run({ store }) {
      const value = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1}}') as JsonValue;
      await store.put(KEY, json(value));
      const record = await store.get(KEY);
      assert.ok(record?.value.type === "json");
      assert.equal(JSON.stringify(record.value.value), JSON.stringify(value));
      assert.equal((record.value.value as { readonly admin?: unknown }).admin, undefined);
    },
  },
  {
    name: "refuses an empty key, an empty name and an empty attribute name",
    async run({ store }) {
      for (const key of [[], [""], ["a", ""]]) {
        await failsWith(store.put(key, text("x")), "invalid_request");
        await failsWith(store.get(key), "invalid_request");
        await failsWith(store.delete(key), "invalid_request");
      }
      await failsWith(store.list({ prefix: [""] }), "invalid_request");
      await failsWith(store.put(KEY, text("x"), { attributes: { "": 1 } }), "invalid_request");
      assert.deepEqual((await store.list({ prefix: [] })).items, []);
    },
  },
  {
    name: "refuses a value that is not JSON, names where it is, and writes nothing",
    async run({ store }) {
      const cycle: { self?: unknown } = {};
      cycle.self = cycle;
      const cases: readonly (readonly [unknown, string])[] = [
        [{ a: [{ b: undefined }] }, "value.a[0].b"],
        [{ f: () => 1 }, "value.f"],
        [[1, Number.NaN], "value[1]"],
        [{ "odd key": Number.POSITIVE_INFINITY }, 'value["odd key"]'],
        [{ n: 1n }, "value.n"],
        [new Array(1), "value[0]"],
        [{ at: new Date(0) }, "value.at"],
        [{ m: new Map() }, "value.m"],
        [undefined, "value"],
        [cycle, "value.self.self"],
      ];
      for (const [value, path] of cases) {
        const { message } = await failsWith(store.put(KEY, json(value as JsonValue)), "invalid_request");
        assert.ok(message.startsWith(path), `"${message}" names ${path}`);
      }
      assert.equal(await store.get(KEY), undefined);
    },
  },
];
