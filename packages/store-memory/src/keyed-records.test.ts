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
  for (let i = 0; i < 1_001; i++) records.set(record("long"), 20);
  expect(records.size).toBe(1);
  expect(namesOf(records, 20)).toBe("long");
});

it("keeps its order when expired records among the others are freed", () => {
  const records = new KeyedRecords();
  for (const name of ["d", "b", "a", "c"]) records.set(record(name, name === "b" ? 10 : undefined), 0);
  for (let i = 0; i < 10; i++) records.set(record("e"), 20);
  records.delete(record("a"));
  records.set(record("b"), 20);
  expect(namesOf(records, 20)).toBe("bcde");
});
