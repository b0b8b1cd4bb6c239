import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SqliteWarning } from "../src/index.js";
import { openFile } from "./support.js";

const LIMIT = 256 * 1024;
const VALUE = { type: "bytes", bytes: new Uint8Array(4_096) } as const;

function walBytes(path: string): number {
  return statSync(`${path}-wal`).size;
}

describe("the write-ahead log (ST-02)", () => {
  it("stays near its bound under a constant writer, and among readers that finish", async () => {
    const warnings: SqliteWarning[] = [];
    const { path, backend, raw } = openFile({ walLimitBytes: LIMIT, onWarning: (warning) => warnings.push(warning) });
    let largest = 0;
    for (let i = 0; i < 600; i++) {
      await backend.store.put([`key ${i % 7}`], VALUE);
      if (i % 5 === 0) raw.prepare("select count(*) from tinyagents_records").get();
      largest = Math.max(largest, walBytes(path));
    }
    expect(largest).toBeGreaterThan(LIMIT / 2);
    expect(largest).toBeLessThan(LIMIT * 4);
    expect(warnings).toEqual([]);
  });

  it("that a reader keeps from being reset is told of, once until it has doubled, and writes go on", async () => {
    const warnings: SqliteWarning[] = [];
    const { path, backend, raw } = openFile({ walLimitBytes: LIMIT, onWarning: (warning) => warnings.push(warning) });
    await backend.store.put(["key"], VALUE);
    raw.exec("begin");
    raw.prepare("select * from tinyagents_records").get();
    for (let i = 0; i < 200; i++) await backend.store.put([`key ${i % 7}`], VALUE);
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.length).toBeLessThan(6);
    expect(warnings[0]).toMatchObject({ type: "wal_limit", path: `${path}-wal`, limitBytes: LIMIT });
    expect(warnings[0]?.bytes).toBeGreaterThan(LIMIT);

    raw.exec("commit");
    const before = warnings.length;
    for (let i = 0; i < 200; i++) await backend.store.put([`key ${i % 7}`], VALUE);
    expect(walBytes(path)).toBeLessThan(LIMIT * 4);
    expect(warnings.length).toBe(before);
  });
});
