import { manualClock, type StoreAttributes, type StoreRecord } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { openFile } from "./support.js";

const TEXT = { type: "text", text: "x" } as const;

function namesOf(items: readonly StoreRecord[]): readonly string[] {
  return items.map(({ key }) => key.join("/"));
}

describe("attributes (ST-03, SE-06)", () => {
  it("of a record that is written again or deleted find it no more", async () => {
    const { backend, raw } = openFile();
    const found = async (where: StoreAttributes) => namesOf((await backend.store.list({ prefix: [], where })).items);
    await backend.store.put(["a"], TEXT, { attributes: { open: true, n: 1 } });
    await backend.store.put(["a"], TEXT, { attributes: { open: true, n: 2 } });
    expect([await found({ n: 1 }), await found({ n: 2, open: true })]).toEqual([[], ["a"]]);
    await backend.store.put(["a"], TEXT);
    expect(await found({ open: true })).toEqual([]);
    await backend.store.put(["a"], TEXT, { attributes: { open: true } });
    await backend.store.delete(["a"]);
    expect(await found({ open: true })).toEqual([]);
    expect(raw.prepare("select count(*) as n from tinyagents_attributes").get()).toEqual({ n: 0 });
  });

  it("of a write that was in conflict leave nothing behind", async () => {
    const { backend } = openFile();
    await backend.store.put(["a"], TEXT, { attributes: { n: 1 } });
    const late = backend.store.put(["a"], TEXT, { attributes: { n: 2 }, ifVersion: "other" });
    await expect(late).rejects.toMatchObject({ code: "conflict" });
    expect((await backend.store.list({ prefix: [], where: { n: 2 } })).items).toEqual([]);
    expect((await backend.store.list({ prefix: [], where: { n: 1 } })).items).toHaveLength(1);
    await backend.store.put(["a"], TEXT, { attributes: { n: 3 } });
  });

  it("are told apart by type and value, whatever characters are in them", async () => {
    const { backend } = openFile();
    const delicate = [1, "1", true, "true", null, "null", 0, "", "a\0", "a", '"', "\ud83d", "%", "*", 1e300, 0.1];
    for (const [index, value] of delicate.entries()) {
      await backend.store.put([`k${index}`], TEXT, { attributes: { 'n"]\0': value } });
    }
    for (const [index, value] of delicate.entries()) {
      const { items } = await backend.store.list({ prefix: [], where: { 'n"]\0': value } });
      expect(namesOf(items)).toEqual([`k${index}`]);
    }
  });

  it("may be as many as one likes in one filter", async () => {
    const { backend } = openFile();
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`name ${index}`, index]));
    await backend.store.put(["all"], TEXT, { attributes: many });
    await backend.store.put(["all but one"], TEXT, { attributes: { ...many, "name 1999": 0 } });
    expect(namesOf((await backend.store.list({ prefix: [], where: many })).items)).toEqual(["all"]);
  });
});

describe("listing (PF-03)", () => {
  it.each([
    ["ascending", 2],
    ["ascending", 100],
    ["descending", 2],
    ["descending", 100],
  ] as const)(
    "finds the few that match among thousands that nearly do, page by page, %s by %i",
    async (order, limit) => {
      const { backend } = openFile();
      const wanted: string[] = [];
      const puts = Array.from({ length: 3_500 }, (_, index) => {
        const name = `k${String(index).padStart(4, "0")}`;
        // First and last of what is looked at in one go, from both ends.
        const rare = index % 500 === 0 || index % 500 === 499;
        if (rare) wanted.push(name);
        const attributes = { all: true, rare };
        return { type: "put", key: [name], value: TEXT, options: { attributes } } as const;
      });
      await backend.store.batch(puts);
      if (order === "descending") wanted.reverse();
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await backend.store.list({
          prefix: [],
          where: { all: true, rare: true },
          order,
          limit,
          cursor,
        });
        found.push(...namesOf(page.items));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(found).toEqual(wanted);
    },
  );

  it("gives a page that is larger than one look at the table whole and in order", async () => {
    const { backend } = openFile();
    const names = Array.from({ length: 2_500 }, (_, index) => `k${String(index).padStart(4, "0")}`);
    await backend.store.batch(names.map((name) => ({ type: "put", key: [name], value: TEXT })));
    const page = await backend.store.list({ prefix: [], limit: 2_400 });
    expect(namesOf(page.items)).toEqual(names.slice(0, 2_400));
    const rest = await backend.store.list({ prefix: [], limit: 2_400, cursor: page.cursor });
    expect(namesOf(rest.items)).toEqual(names.slice(2_400));
    expect(rest.cursor).toBeUndefined();
  });

  it("goes on after a cursor that is not of its prefix", async () => {
    const { backend } = openFile();
    for (const name of ["a", "b", "c"]) await backend.store.put([name, "1"], TEXT);
    const list = async (order: "ascending" | "descending", cursor: string) =>
      namesOf((await backend.store.list({ prefix: ["b"], order, cursor: JSON.stringify([cursor]) })).items);
    expect(await list("ascending", "a")).toEqual(["b/1"]);
    expect(await list("ascending", "c")).toEqual([]);
    expect(await list("descending", "c")).toEqual(["b/1"]);
    expect(await list("descending", "a")).toEqual([]);
  });
});

describe("records that have expired", () => {
  it("are taken away, with their attributes, by writes that set a time", async () => {
    const clock = manualClock();
    const { backend, raw } = openFile({ clock });
    for (let i = 0; i < 100; i++) await backend.store.put([`k${i}`], TEXT, { ttlMs: 10, attributes: { i } });
    await clock.advance(10);
    for (let i = 0; i < 10; i++) await backend.store.put(["new"], TEXT, { ttlMs: 1_000 });
    expect(raw.prepare("select count(*) as n from tinyagents_records").get()).toEqual({ n: 1 });
    expect(raw.prepare("select count(*) as n from tinyagents_attributes").get()).toEqual({ n: 0 });
  });
});
