import { assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import { HOSTILE_NAMES } from "./hostile.js";
import type { StoreUnderTest } from "./subject.js";
import { keysOf, text, textOf, topic } from "./suite.js";

const keys = topic("keys");

/** What becomes of keys and of the names of attributes. */
export const keyChecks: readonly Check<StoreUnderTest>[] = [
  keys("keeps every hostile name as a name like any other, beside its neighbours", async ({ store }) => {
    for (const name of HOSTILE_NAMES) await store.put(["t", name], text(name));
    for (const name of HOSTILE_NAMES) {
      assertEqual(textOf(await store.get(["t", name])), name, `the record ${JSON.stringify(name)}`);
      assertEqual(keysOf((await store.list({ prefix: ["t", name] })).items), [["t", name]], "what starts with it");
    }
    assertEqual(({} as { readonly t?: unknown }).t, undefined, "what all objects inherit");
  }),
  keys("takes away the one record that is named, and none that looks like it", async ({ store }) => {
    for (const name of HOSTILE_NAMES) await store.put([name], text(name));
    for (const [done, name] of HOSTILE_NAMES.entries()) {
      assertEqual(await store.delete([name]), true, `deleting ${JSON.stringify(name)}`);
      assertEqual((await store.list({ prefix: [] })).items.length, HOSTILE_NAMES.length - done - 1, "what is left");
    }
  }),
  keys("takes the names of attributes as they are", async ({ store }) => {
    for (const name of HOSTILE_NAMES) await store.put(["t", name], text(name), { attributes: { [name]: name } });
    for (const name of HOSTILE_NAMES) {
      const found = await store.list({ prefix: ["t"], where: { [name]: name } });
      assertEqual(keysOf(found.items), [["t", name]], `where ${JSON.stringify(name)}`);
      assertEqual(found.items[0]?.attributes[name], name, `the attribute ${JSON.stringify(name)}`);
    }
  }),
  keys("keeps keys apart that would be one if their names were joined", async ({ store }) => {
    const alike = [
      ["a", "b"],
      ["a/b"],
      ["a\u0000b"],
      ["a.b"],
      ["ab"],
      ["a:b"],
      ["a", "b", "c"],
      ["a/b", "c"],
      ['a","b'],
    ];
    for (const [index, key] of alike.entries()) await store.put(key, text(String(index)));
    for (const [index, key] of alike.entries()) assertEqual(textOf(await store.get(key)), String(index), key.join("|"));
  }),
  keys("refuses an empty key, an empty name and an empty name of an attribute", async ({ store }) => {
    for (const key of [[], [""], ["a", ""], "a" as never, [1] as never]) {
      await assertFails(store.put(key, text("x")), "invalid_request", "writing it");
      await assertFails(store.get(key), "invalid_request", "reading it");
      await assertFails(store.delete(key), "invalid_request", "deleting it");
    }
    await assertFails(store.list({ prefix: [""] }), "invalid_request", "listing below it");
    await assertFails(store.put(["a"], text("x"), { attributes: { "": 1 } }), "invalid_request", "an attribute");
    assertEqual((await store.list({ prefix: [] })).items, [], "what was written");
  }),
];
