import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPostgresSchema, type PostgresBackendOptions, postgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, url, withServer } from "./support/place.js";

const KEY = ["a"];
const text = (content: string) => ({ type: "text", text: content }) as const;

describe("options of a PostgreSQL backend (STO-10)", () => {
  it.each<[string, object, RegExp]>([
    ["neither a database nor a pool", {}, /either a connectionString or a pool/],
    ["both", { connectionString: url, pool: { connect() {} } }, /either a connectionString or a pool/],
    ["a connection string that is empty", { connectionString: "" }, /connectionString/],
    ["a pool that is none", { pool: {} }, /method connect/],
    ["options of a pool that is handed in", { pool: { connect() {} }, maxConnections: 2 }, /set them there/],
    ["what is no boolean", { connectionString: url, createSchema: "no" }, /createSchema: a boolean/],
    ["no clock", { connectionString: url, clock: Date }, /clock: a Clock/],
    ["one that there is not", { connectionString: url, collectionPrefix: "a" }, /collectionPrefix: there is no such/],
    ["an empty namespace", { connectionString: url, namespace: "" }, /namespace: a text of 1 to 128/],
    ["a namespace that is too long", { connectionString: url, namespace: "n".repeat(129) }, /namespace/],
    ["an empty schema", { connectionString: url, schema: "" }, /schema: a text of 1 to 63 bytes/],
    ["a prefix that would be cut off", { connectionString: url, tablePrefix: "p".repeat(50) }, /tablePrefix/],
    ["a prefix with NUL", { connectionString: url, tablePrefix: "a\0" }, /tablePrefix/],
    ["a schema with half a character", { connectionString: url, schema: "\ud83d" }, /schema/],
    ["no connections", { connectionString: url, maxConnections: 0 }, /maxConnections/],
    ["a time that is none", { connectionString: url, connectTimeoutMs: Number.NaN }, /connectTimeoutMs/],
  ])("are refused at once: %s", (_, options, message) => {
    expect(() => postgresBackend(options as PostgresBackendOptions)).toThrow(TypeError);
    expect(() => postgresBackend(options as PostgresBackendOptions)).toThrow(message);
  });
});

withServer("the tables of a PostgreSQL backend (STO-10)", () => {
  let place: TestPlace;

  beforeEach(() => {
    place = newPlace();
  });

  afterEach(() => place.remove());

  it("are made once, however many make them at the same time", async () => {
    const { schema } = place;
    await Promise.all(Array.from({ length: 4 }, () => createPostgresSchema(admin, { schema })));
    const backends = Array.from({ length: 4 }, () => place.open());
    await Promise.all(backends.map(({ store }, index) => store.put([String(index)], text("x"))));
    expect((await backends[0]?.store.list({ prefix: [] }))?.items).toHaveLength(4);
    for (const { close } of backends) await close();
  });

  it("of a newer version of the package are left alone, with version_mismatch", async () => {
    const { schema } = place;
    await createPostgresSchema(admin, { schema });
    await admin.query(`UPDATE ${schema}.tinyagents_schema_version SET version = 7`);
    const mismatch = { code: "version_mismatch", details: { expected: 1, found: 7 } };
    await expect(createPostgresSchema(admin, { schema })).rejects.toMatchObject(mismatch);
    for (const createSchema of [true, false]) {
      const { store, log, close } = place.open({ createSchema });
      await expect(store.put(KEY, text("x"))).rejects.toMatchObject(mismatch);
      await expect(log.append("s", ["x"])).rejects.toMatchObject(mismatch);
      await close();
    }
    expect((await admin.query(`SELECT version FROM ${schema}.tinyagents_schema_version`)).rows).toEqual([
      { version: 7 },
    ]);
  });

  it("that have lost their version are corrupt_data", async () => {
    const { schema } = place;
    await createPostgresSchema(admin, { schema });
    await admin.query(`DELETE FROM ${schema}.tinyagents_schema_version`);
    await expect(createPostgresSchema(admin, { schema })).rejects.toMatchObject({ code: "corrupt_data" });
  });

  it("are there whole or not at all when making them fails", async () => {
    const { schema } = place;
    await admin.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.tinyagents_log (taken text)`);
    const failing = createPostgresSchema(admin, { schema });
    await expect(failing).rejects.toMatchObject({ code: "store_failed", details: { operation: "create the schema" } });
    const query = "SELECT tablename FROM pg_tables WHERE schemaname = $1";
    expect((await admin.query(query, [schema])).rows).toEqual([{ tablename: "tinyagents_log" }]);
  });

  it("are found again by the next call once what was wrong with them is put right", async () => {
    const { store, close } = place.open({ createSchema: false });
    await expect(store.get(KEY)).rejects.toMatchObject({ code: "store_failed", retryable: false });
    await createPostgresSchema(admin, { schema: place.schema });
    expect(await store.get(KEY)).toBeUndefined();
    await close();
  });

  it("are used by a role that may neither create nor own any", async () => {
    const { schema } = place;
    const role = `${schema}_user`;
    await createPostgresSchema(admin, { schema });
    await admin.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`);
    const pool = new pg.Pool({ connectionString: url, max: 2, options: `-c role=${role}` });
    const { store, log, close } = postgresBackend({ pool, schema });
    await store.put(KEY, text("x"));
    expect(await log.append("s", ["x"])).toBe(0);
    await close();
    await pool.end();
    await admin.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it("may have names with any characters, and several sets of them stand beside each other", async () => {
    const schema = `${place.schema} "; DROP TABLE x; --'`;
    const backends = ["", "a_", 'quoted "name" ', "'; --"].map((tablePrefix) => place.open({ schema, tablePrefix }));
    for (const [index, { store, log }] of backends.entries()) {
      await store.put(KEY, text(String(index)));
      await store.batch([{ type: "delete", key: ["none"] }]);
      await log.append("s", [index]);
      const end = await log.watch?.("s", () => undefined);
      end?.();
    }
    for (const [index, { store, log, close }] of backends.entries()) {
      expect((await store.get(KEY))?.value).toEqual(text(String(index)));
      expect(await log.read("s")).toEqual([{ offset: 0, value: index }]);
      await close();
    }
    await admin.query(`DROP SCHEMA "${schema.replaceAll('"', '""')}" CASCADE`);
  });

  it("are refused in a database that cannot hold every text", async () => {
    const database = `${place.schema}_latin`;
    await admin.query(`CREATE DATABASE ${database} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const pool = new pg.Pool({ connectionString: url, database, max: 1 });
    const other = new pg.Pool({ ...pool.options, connectionString: url.replace(/\/postgres(\?|$)/, `/${database}$1`) });
    const failing = createPostgresSchema(other, { schema: "public" });
    await expect(failing).rejects.toMatchObject({
      message: expect.stringContaining("LATIN1; one with UTF8 is needed"),
    });
    await other.end();
    await pool.end();
    await admin.query(`DROP DATABASE ${database}`);
  });

  it("are used without prepared statements where a pooler needs that", async () => {
    const { store, log, close } = place.open({ prepare: false });
    await store.put(KEY, text("x"));
    expect(await log.append("s", ["x"], { idempotencyKey: "k" })).toBe(0);
    expect((await store.list({ prefix: [] })).items).toHaveLength(1);
    await close();
  });
});
