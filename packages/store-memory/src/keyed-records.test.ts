import { expect, it } from "vitest";
import { KeyedRecords } from "./keyed-records.js";
import type { KeptRecord } from "./record.js";

function record(name: string, expiresAtMs?: number): KeptRecord {
  const base = { key: [name], id: name, value: { type: "text", text: name }, version: "1", attributes: {} } as const;
  return { ...base, updatedAtMs: 0, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
}

function namesOf(records: KeyedRecords, nowMs: number): string {
  return [...records.walk({ prefix: [], descending: false }, nowMs)].map(({ id }) => id).join("");
}

it("keeps records that expire, and are never asked for again, for a bounded number of writes", () => {
  const records = new KeyedRecords();
  for (let i = 0; i < 1_000; i++) records.set(record(`short-${i}`, 10), 0);
  expect(namesOf(records, 0)).toContain("short-999");
  for (let i = 1_000; i < 1_900; i++) records.set(record(`short-${i}`, 10), 0);
  for (let i = 0; i < 1_901; i++) records.set(record("long"), 20);
  expect(records.size).toBe(1);
  expect(namesOf(records, 20)).toBe("long");
});

it("keeps its order when expired records among the others are freed", () => {
  const records = new KeyedRecords();
  for (const name of ["d", "b", "a", "c"]) records.set(record(name, name === "b" ? 10 : undefined), 0);
  for (let i = 0; i < 10; i++) records.set(record("e"), 20);
  records.delete("a", 20);
  records.set(record("b"), 20);
  expect(namesOf(records, 20)).toBe("bcde");
});

it("frees the places of records that were deleted", () => {
  const records = new KeyedRecords();
  for (let i = 0; i < 1_000; i++) {
    records.set(record(`k${i}`), 0);
    records.delete(`k${i}`, 0);
  }
  expect(records.size).toBeLessThan(10);
  expect(namesOf(records, 0)).toBe("");
});

it("keeps its order however many records come between two walks, and in whatever order", () => {
  const records = new KeyedRecords();
  const names: string[] = [];
  for (const batch of ["mbz", "a", "qwertyuio", "", "xc", "dfghjkl"]) {
    for (const name of batch) records.set(record(name), 0);
    names.push(...batch);
    expect(namesOf(records, 0)).toBe(names.sort().join(""));
  }
  records.delete("q", 0);
  records.set(record("q"), 0);
  expect(namesOf(records, 0)).toBe(names.join(""));
});
