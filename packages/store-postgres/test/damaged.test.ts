import { afterEach, beforeEach, expect, it } from "vitest";
import type { PostgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, withServer } from "./support/place.js";

withServer("what somebody damaged in the tables (DG-04)", () => {
  let place: TestPlace;
  let backend: PostgresBackend;

  beforeEach(async () => {
    place = newPlace();
    backend = place.open();
    await backend.store.put(["a", "1"], { type: "json", value: { n: 1 } }, { attributes: { open: true } });
    await backend.log.append("s", ["zero", "one", "two", "three"]);
  });

  afterEach(async () => {
    await backend.close();
    await place.remove();
  });

  async function damage(table: string, change: string): Promise<void> {
    await admin.query(change.replace("TABLE", `${place.schema}.tinyagents_${table}`));
  }

  it.each([
    ["a value that is no JSON", "UPDATE TABLE SET content = '{\"n\":'", /not the JSON that was written/],
    ["a value that is missing", "UPDATE TABLE SET content = NULL", /its value is missing/],
    ["bytes that are missing", "UPDATE TABLE SET kind = 'bytes'", /its value is missing/],
    ["a text that is none", "UPDATE TABLE SET kind = 'text'", /not the text that was written/],
    ["a kind that nobody knows", "UPDATE TABLE SET kind = 'date'", /a kind that is not known: "date"/],
    ["attributes that are no object", "UPDATE TABLE SET attributes = '[1]'", /an object is expected/],
    ["attributes that are no facts", "UPDATE TABLE SET attributes = '{\"a\":[]}'", /not what was written/],
    ["a time that is none", "UPDATE TABLE SET updated_at_ms = 'NaN'", /a number is missing/],
  ])("is corrupt_data that names the record: %s", async (_, change, message) => {
    await damage("records", change);
    const place = 'record ["a","1"]';
    for (const read of [() => backend.store.get(["a", "1"]), () => backend.store.list({ prefix: [] })]) {
      const failure = await read().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "corrupt_data", message: expect.stringMatching(message) });
      expect(failure).toMatchObject({ message: expect.stringContaining(place) });
    }
  });

  it("is corrupt_data when a key is none of ours", async () => {
    await damage("records", "UPDATE TABLE SET key = '\\x61'");
    await expect(backend.store.list({ prefix: [] })).rejects.toMatchObject({
      code: "corrupt_data",
      message: expect.stringContaining("the key with the bytes 61"),
    });
  });

  it("is corrupt_data that names the record of a log that is no JSON", async () => {
    await damage("log", "UPDATE TABLE SET content = 'x' WHERE at = 2");
    await expect(backend.log.read("s")).rejects.toMatchObject({
      code: "corrupt_data",
      message: expect.stringContaining('stream "s", record 2'),
    });
    expect(await backend.log.read("s", { limit: 2 })).toHaveLength(2);
  });

  it.each([0, 2, 3])("is corrupt_data, and no gap, when record %i of a log was taken away", async (at) => {
    await damage("log", `DELETE FROM TABLE WHERE at = ${at}`);
    for (const order of ["ascending", "descending"] as const) {
      await expect(backend.log.read("s", { order })).rejects.toMatchObject({
        code: "corrupt_data",
        message: expect.stringContaining(`stream "s", record ${at}: it is missing`),
      });
    }
  });
});
