import type { JsonValue, StoreKey, StoreValue } from "@tinyagents/core";
import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { DELICATE_JSON, DELICATE_TEXTS, nested, notJson } from "./hostile.js";
import type { StoreUnderTest } from "./subject.js";
import { bytes, json, text, topic } from "./suite.js";

const KEY: StoreKey = ["a"];
const values = topic("values");

/** What becomes of values. */
export const valueChecks: readonly Check<StoreUnderTest>[] = [
  values("gives nothing for a key that was never written", async ({ store }) => {
    assertEqual(await store.get(KEY), undefined, "the record");
  }),
  values("gives a record with its key, value, version, attributes and time", async ({ store }) => {
    const version = await store.put(KEY, text("x"), { attributes: { kind: "run", open: true, n: 1.5, none: null } });
    const record = await store.get(KEY);
    const updatedAtMs = record?.updatedAtMs ?? Number.NaN;
    assert(Number.isSafeInteger(updatedAtMs), `updatedAtMs: milliseconds are expected, ${updatedAtMs} found`);
    const attributes = { kind: "run", open: true, n: 1.5, none: null };
    assertEqual(record, { key: KEY, value: text("x"), version, attributes, updatedAtMs }, "the record");
    assert(typeof version === "string" && version !== "", "the version is expected to be a text that is not empty");
  }),
  values("gives back JSON with its exact content", async ({ store }) => {
    for (const [index, value] of DELICATE_JSON.entries()) {
      await store.put([`k${index}`], json(value));
      assertEqual((await store.get([`k${index}`]))?.value, json(value), `JSON value ${index}`);
    }
  }),
  values("gives back text with its exact characters", async ({ store }) => {
    for (const [index, content] of DELICATE_TEXTS.entries()) {
      await store.put([`k${index}`], text(content));
      assertEqual((await store.get([`k${index}`]))?.value, text(content), `text ${index}`);
    }
  }),
  values("gives back bytes, none and every one there is, as a Uint8Array", async ({ store }) => {
    for (const value of [bytes(), bytes(...Array.from({ length: 256 }, (_, byte) => byte))]) {
      await store.put(KEY, value);
      const found = (await store.get(KEY))?.value;
      assert(found?.type === "bytes" && isBytes(found.bytes), "a Uint8Array is expected");
      assertEqual([...found.bytes], [...(value as { readonly bytes: Uint8Array }).bytes], "the bytes");
    }
  }),
  values("gives back large values whole", async ({ store }) => {
    const long = "0123456789 \u{1F600} ".repeat(70_000);
    const many = Array.from({ length: 20_000 }, (_, index) => ({ index, name: `item ${index}` }));
    const buffer = Uint8Array.from({ length: 8_000_000 }, (_, index) => (index * 7) % 251);
    await store.put(["text"], text(long));
    await store.put(["json"], json(many));
    await store.put(["bytes"], { type: "bytes", bytes: buffer });
    assert(isSame(await store.get(["text"]), text(long)), "a text of a million characters came back changed");
    assert(isSame(await store.get(["json"]), json(many)), "a list of 20,000 objects came back changed");
    const found = (await store.get(["bytes"]))?.value;
    const isWhole = found?.type === "bytes" && found.bytes.length === buffer.length;
    assert(isWhole && found.bytes.every((byte, index) => byte === buffer[index]), "8,000,000 bytes came back changed");
  }),
  values("gives back JSON that is 256 levels deep, and refuses what is deeper", async ({ store }) => {
    await store.put(KEY, json(nested(256)));
    assertEqual((await store.get(KEY))?.value, json(nested(256)), "the deep value");
    await assertFails(store.put(KEY, json(nested(257))), "invalid_request", "a value of 257 levels");
  }),
  values("keeps the order of the keys in JSON, and -0 as the 0 that it is in JSON text", async ({ store }) => {
    const value = { z: 1, a: { y: 1, b: -0 }, 7: "first, as in every object" };
    await store.put(KEY, json(value), { attributes: { n: -0 } });
    const record = await store.get(KEY);
    const found = record?.value.type === "json" ? record.value.value : undefined;
    assertEqual(JSON.stringify(found), JSON.stringify(value), "the JSON text");
    assertEqual((found as { readonly a: { readonly b: number } }).a.b, 0, "what was -0");
    assertEqual(record?.attributes, { n: 0 }, "the attributes");
  }),
  values("keeps a key named __proto__ inside a value as a key", async ({ store }) => {
    const value = JSON.parse('{"__proto__":{"admin":true},"constructor":{"prototype":1}}') as JsonValue;
    await store.put(KEY, json(value));
    const record = await store.get(KEY);
    const found = record?.value.type === "json" ? record.value.value : undefined;
    assertEqual(JSON.stringify(found), JSON.stringify(value), "the JSON text");
    assertEqual((found as { readonly admin?: unknown }).admin, undefined, "what the value inherits");
    assertEqual(({} as { readonly admin?: unknown }).admin, undefined, "what all objects inherit");
  }),
  values("gives back JSON that looks like something kept by a store as the JSON that it is", async ({ store }) => {
    const value = {
      bytes: { type: "bytes", bytes: "AAEC", base64: "AAEC" },
      marked: { v: 1, $type: "Date", $binary: { base64: "AAEC", subType: "00" }, lc: 1, id: ["Secret"], kwargs: {} },
      text: '{"type":"json","value":1}',
    };
    await store.put(KEY, json(value));
    assertEqual((await store.get(KEY))?.value, json(value), "the value");
  }),
  values("keeps what was stored when the caller changes its own objects later", async ({ store }) => {
    const value = { list: [1, { deep: "as stored" }] };
    const key = ["k"];
    const attributes = { kind: "as stored" };
    const put = store.put(key, json(value), { attributes });
    (value.list[1] as { deep: string }).deep = "changed";
    value.list.push(2);
    key[0] = "other";
    attributes.kind = "changed";
    await put;
    const record = await store.get(["k"]);
    assertEqual(record?.value, json({ list: [1, { deep: "as stored" }] }), "the value");
    assertEqual(record?.attributes, { kind: "as stored" }, "the attributes");
  }),
  values("copies bytes at once, also those that are a window on a larger buffer", async ({ store }) => {
    const buffer = Uint8Array.of(1, 2, 3, 4);
    const put = store.put(KEY, { type: "bytes", bytes: buffer.subarray(1, 3) });
    buffer.fill(9);
    await put;
    const found = (await store.get(KEY))?.value;
    assertEqual(found?.type === "bytes" ? [...found.bytes] : found, [2, 3], "the bytes");
  }),
  values("hands out records that share nothing with what is stored", async ({ store }) => {
    await store.put(KEY, json({ list: [1] }), { attributes: { kind: "first" } });
    await store.put(["b"], bytes(1));
    const [record] = (await store.list({ prefix: KEY })).items;
    const other = await store.get(["b"]);
    assert(record?.value.type === "json" && other?.value.type === "bytes", "the records are expected");
    (record.value.value as { list: number[] }).list.push(2);
    (record.key as string[])[0] = "changed";
    (record.attributes as { kind: string }).kind = "changed";
    other.value.bytes[0] = 9;
    const again = await store.get(KEY);
    assertEqual([again?.key, again?.value], [KEY, json({ list: [1] })], "the record");
    assertEqual(again?.attributes, { kind: "first" }, "the attributes");
    assertEqual((await store.get(["b"]))?.value, bytes(1), "the bytes");
  }),
  values("refuses what is not JSON, names where it is, and writes nothing", async ({ store }) => {
    for (const [value, path] of notJson()) {
      const put = store.put(KEY, json(value as JsonValue));
      assertIncludes(
        (await assertFails(put, "invalid_request", `value${path}`)).message,
        `value${path}`,
        "the message",
      );
    }
    assertEqual(await store.get(KEY), undefined, "the record");
  }),
  values("refuses a value of no kind, and an attribute that is no scalar", async ({ store }) => {
    const kindless: readonly unknown[] = [
      undefined,
      "x",
      { type: "blob" },
      { type: "text" },
      { type: "bytes", bytes: [1] },
    ];
    for (const value of kindless) {
      await assertFails(store.put(KEY, value as StoreValue), "invalid_request", `the value ${JSON.stringify(value)}`);
    }
    for (const attribute of [{}, [], undefined, Number.NaN, 1n]) {
      const attributes = { bad: attribute } as never;
      const error = await assertFails(store.put(KEY, text("x"), { attributes }), "invalid_request", "an attribute");
      assertIncludes(error.message, "attributes.bad", "the message");
    }
    assertEqual(await store.get(KEY), undefined, "the record");
  }),
];

function isBytes(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}

function isSame(record: { readonly value: StoreValue } | undefined, value: StoreValue): boolean {
  return JSON.stringify(record?.value) === JSON.stringify(value);
}
