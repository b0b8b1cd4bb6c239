import { appendStoreConformance, storeConformance } from "@tinyagents/conformance/vitest";
import { manualClock, type Store } from "@tinyagents/core";
import { tenantBackend, tenantLog, tenantStore } from "@tinyagents/persistence";
import { memoryAppendStore, memoryBackend, memoryStore } from "@tinyagents/store-memory";
import { describe, expect, it } from "vitest";
import { onBackends } from "./on-backends.js";

/** What a view gives is a store like any other, beside another tenant's records. */
const view = {
  name: "the view of a tenant (STO-01, STO-03, CNF-04)",
  create: () => {
    const clock = manualClock();
    const backend = memoryBackend({ clock });
    return {
      open: () => ({ ...tenantBackend(backend, "a/*"), close: () => backend.close() }),
      advance: (ms: number) => clock.advance(ms),
    };
  },
};

storeConformance(view);
appendStoreConformance(view);

const IDS = ["a", "a/b", "ab", "*", "%", "a%2Fb", "__proto__", "constructor", "' OR 1=1", "\u0000", "tenants", ".."];

onBackends("what tenants have of one backend (SE-01, SE-04, SE-06)", (opened) => {
  it("is their own, whatever their ids are made of: none reads, lists or deletes another's", async () => {
    const tenants = IDS.map((id) => ({ id, ...tenantBackend(opened().backend, id) }));
    for (const { id, store, log } of tenants) {
      await store.put(["notes", "x"], { type: "text", text: id });
      await log.append("events", [id]);
    }
    for (const { id, store, log } of tenants) {
      expect((await store.get(["notes", "x"]))?.value).toEqual({ type: "text", text: id });
      const { items } = await store.list({ prefix: [] });
      expect(items.map(({ key, value }) => [key, value])).toEqual([[["notes", "x"], { type: "text", text: id }]]);
      expect(await log.streams()).toEqual(["events"]);
      expect(await log.read("events")).toEqual([{ offset: 0, value: id }]);
    }
    const [first, ...others] = tenants;
    expect(await first?.store.delete(["notes", "x"])).toBe(true);
    expect(await first?.log.delete("events")).toBe(true);
    for (const { store, log } of others) {
      expect(await store.get(["notes", "x"])).toBeDefined();
      expect(await log.head("events")).toBe(1);
    }
  });

  it("cannot be paged to from another tenant, with a cursor of theirs or with a forged one", async () => {
    const { backend } = opened();
    const [a, b] = [tenantStore(backend.store, "a"), tenantStore(backend.store, "b")];
    for (const name of ["1", "2", "3"]) {
      await a.put([name], { type: "text", text: "a" });
      await b.put([name], { type: "text", text: "b" });
    }
    const { cursor } = await b.list({ prefix: [], limit: 1 });
    for (const forged of [cursor, '["tenants","b","1"]', '["tenants"]', '["b"]', '["\u0000"]', "x"]) {
      for (const order of ["ascending", "descending"] as const) {
        const seen = await a.list({ prefix: [], cursor: forged, order }).then(
          ({ items }) => items,
          (error: { code: string }) => (error.code === "invalid_request" ? [] : Promise.reject(error)),
        );
        for (const { value } of seen) expect(value).toEqual({ type: "text", text: "a" });
      }
    }
    const keys: string[] = [];
    for (let next: string | undefined, more = true; more; ) {
      const page = await a.list({ prefix: [], limit: 2, cursor: next });
      keys.push(...page.items.map(({ key }) => key.join()));
      next = page.cursor;
      more = next !== undefined;
    }
    expect(keys).toEqual(["1", "2", "3"]);
  });

  it("is what their streams are followed and listed by, in steps", async () => {
    const { backend } = opened();
    const [a, b] = [tenantLog(backend.log, "a"), tenantLog(backend.log, "b")];
    for (const name of ["x/1", "x/2", "x/3"]) await a.append(name, [name]);
    await b.append("x/0", ["b"]);
    expect(await a.streams("x/", { limit: 2 })).toEqual(["x/1", "x/2"]);
    expect(await a.streams("x/", { after: "x/2" })).toEqual(["x/3"]);
    expect(await a.streams("", { after: "x/0" })).toEqual(["x/1", "x/2", "x/3"]);
  });
});

describe("the view of a tenant (SE-06)", () => {
  it("says nothing of another tenant when the store below gives too much", async () => {
    const inner = memoryStore();
    await inner.put(["tenants", "b", "secret-of-b"], { type: "text", text: "b" });
    const careless: Store = { ...inner, list: () => inner.list({ prefix: [] }) };
    const failure = await tenantStore(careless, "a")
      .list({ prefix: [] })
      .then(String, (error: { code: string }) => error);
    expect(failure).toMatchObject({ code: "store_failed" });
    expect(String(failure)).not.toContain("secret-of-b");
  });

  it("lists nothing that lies exactly at the tenant's place, and what comes after it", async () => {
    const { store, log } = memoryBackend();
    const text = { type: "text", text: "x" } as const;
    await store.put(["tenants", "a"], text);
    await log.append("tenants/a/", [1]);
    const alone = await tenantStore(store, "a").list({ prefix: [] });
    expect(alone).toEqual({ items: [] });
    for (const name of ["k1", "k2"]) await tenantStore(store, "a").put([name], text);
    await tenantLog(log, "a").append("s", [1]);
    const first = await tenantStore(store, "a").list({ prefix: [], limit: 1 });
    expect(first.items.map(({ key }) => key)).toEqual([["k1"]]);
    const rest = await tenantStore(store, "a").list({ prefix: [], cursor: first.cursor });
    expect(rest.items.map(({ key }) => key)).toEqual([["k2"]]);
    expect(await tenantLog(log, "a").streams()).toEqual(["s"]);
  });

  it("writes nothing elsewhere, whatever a batch or a key is made of", async () => {
    const inner = memoryStore();
    const put = { type: "put", key: ["tenants", "b", "k"], value: { type: "text", text: "evil" } } as const;
    const asFunction = Object.assign(() => undefined, put) as unknown as typeof put;
    const ofItsOwnMap = Object.assign([put], { map: () => [put] });
    for (const operations of [[asFunction], ofItsOwnMap]) await tenantStore(inner, "a").batch(operations);
    const lengths = [0, 3];
    const ofTwoLengths = new Proxy(["tenants", "b", "k"], {
      get: (names, name) => (name === "length" ? (lengths.shift() ?? 3) : Reflect.get(names, name)),
    });
    await tenantStore(inner, "a")
      .put(ofTwoLengths, put.value)
      .catch(() => undefined);
    expect(await inner.get(put.key)).toBeUndefined();
  });

  it("is refused for an empty id or prefix, which would be everybody's", () => {
    for (const [id, prefix] of [
      ["", "t"],
      ["a", ""],
      [undefined as never, "t"],
    ] as const) {
      expect(() => tenantStore(memoryStore(), id, { prefix })).toThrow(TypeError);
      expect(() => tenantLog(memoryAppendStore(), id, { prefix })).toThrow(TypeError);
    }
  });

  it("has what its backend has", () => {
    expect(tenantBackend({ store: memoryStore() }, "a")).not.toHaveProperty("log");
  });
});
