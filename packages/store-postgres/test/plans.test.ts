import { afterAll, beforeAll, expect, it } from "vitest";
import type { PostgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, url, withServer } from "./support/place.js";
import { watchedPool } from "./support/watched-pool.js";

/** Records of each of two tenants, and of one stream. */
const MANY = 20_000;

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Relation Name"?: string;
  readonly Plans?: readonly Plan[];
}

withServer("with many records, what is asked for is found by an index (PF-03)", () => {
  let place: TestPlace;
  let backend: PostgresBackend;
  const pool = watchedPool(url);

  beforeAll(async () => {
    place = newPlace();
    backend = place.open({ connectionString: undefined, maxConnections: undefined, pool } as never);
    await backend.store.get(["make the tables"]);
    for (const namespace of ["default", "other"]) {
      await fill(place.schema, namespace);
    }
    // Attributes and streams as the store writes them: those few that are looked for among the many.
    for (let i = 0; i < 20; i++)
      await backend.store.put(["runs", `few-${i}`], { type: "text", text: "x" }, { attributes: { thread: "t1" } });
    await backend.log.append("stream-7", [1, 2, 3]);
    for (const table of ["records", "streams", "log"]) await admin.query(`ANALYZE ${place.schema}.tinyagents_${table}`);
  });

  afterAll(async () => {
    await backend?.close();
    await pool.end();
    await place?.remove();
  });

  /** Plans of all statements that a call made, prepared ones with the values that they had. */
  async function plansOf(call: () => Promise<unknown>): Promise<readonly Plan[]> {
    pool.seen.length = 0;
    await call();
    const plans: Plan[] = [];
    for (const { text, values } of pool.seen.filter(({ text }) =>
      /^\s*(SELECT|UPDATE|DELETE|WITH|INSERT)/.test(text),
    )) {
      const client = await admin.connect();
      await client.query("BEGIN");
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values as unknown[]);
      await client.query("ROLLBACK");
      client.release();
      plans.push(rows[0]["QUERY PLAN"][0].Plan);
    }
    return plans;
  }

  function nodes(plan: Plan): readonly Plan[] {
    return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  }

  async function expectIndexes(call: () => Promise<unknown>, ...indexes: readonly string[]): Promise<void> {
    const all = (await plansOf(call)).flatMap(nodes);
    const scanned = all.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]);
    expect(scanned).toEqual([]);
    const used = new Set(all.flatMap((node) => node["Index Name"] ?? []));
    expect([...used].sort()).toEqual(indexes.map((name) => `tinyagents_${name}`).sort());
  }

  it("a record by its key, to read, write and delete it", async () => {
    const { store } = backend;
    await expectIndexes(() => store.get(["runs", "100"]), "records_pkey");
    const version = (await store.get(["runs", "100"]))?.version ?? "";
    await expectIndexes(
      () => store.put(["runs", "100"], { type: "text", text: "y" }, { ifVersion: version }),
      "records_pkey",
    );
    await expectIndexes(() => store.delete(["runs", "100"]), "records_pkey");
  });

  it("a page of a listing, forward and backward, first and later, in the order of the index", async () => {
    const { store } = backend;
    const first = await store.list({ prefix: ["runs"], limit: 10 });
    for (const query of [{}, { order: "descending" as const }, { cursor: first.cursor }]) {
      const list = () => store.list({ prefix: ["runs"], limit: 10, ...query });
      await expectIndexes(list, "records_pkey");
      const types = (await plansOf(list)).flatMap(nodes).map((node) => node["Node Type"]);
      expect(types).not.toContain("Sort");
    }
  });

  it("records by an attribute that few have", async () => {
    const list = () => backend.store.list({ prefix: ["runs"], where: { thread: "t1" } });
    await expectIndexes(list, "records_by_terms");
    expect((await list()).items).toHaveLength(20);
  });

  it("records by an attribute that most have, a page at a time", async () => {
    const list = () => backend.store.list({ prefix: ["runs"], where: { many: true }, limit: 10 });
    await expectIndexes(list, "records_pkey");
  });

  it("expired records, to clear them away", async () => {
    const plans = await plansOf(() => backend.store.put(["z"], { type: "text", text: "x" }, { ttlMs: 10 }));
    const used = plans.flatMap(nodes).flatMap((node) => node["Index Name"] ?? []);
    expect(used).toContain("tinyagents_records_by_expiry");
    expect(plans.flatMap(nodes).map((node) => node["Node Type"])).not.toContain("Seq Scan");
  });

  it("records of a log, its head, and names of streams", async () => {
    const { log } = backend;
    const names = "streams_namespace_name_key";
    await expectIndexes(() => log.read("long", { from: 10_000, limit: 10 }), names, "log_pkey");
    await expectIndexes(() => log.read("long", { order: "descending", limit: 10 }), names, "log_pkey");
    await expectIndexes(() => log.head("long"), names);
    await expectIndexes(() => log.streams("stream-1", { limit: 10 }), names);
    await expectIndexes(() => log.truncate("long", { before: 10 }), names, "log_pkey");
  });
});

/** Rows as the store writes them, without going through it one by one. */
async function fill(schema: string, namespace: string): Promise<void> {
  const owner = `convert_to('${namespace}', 'UTF8') || '\\x00'`;
  const key = (kind: string, number: string): string =>
    `convert_to('${kind}', 'UTF8') || '\\x00' || convert_to(${number}::text, 'UTF8') || '\\x00'`;
  const many = `sha256(convert_to('["${namespace}","many",true]', 'UTF8'))`;
  await admin.query(`INSERT INTO ${schema}.tinyagents_records
    SELECT ${owner}, ${key("runs", "n")}, 'json', '{}', NULL, '{"many":true}', ARRAY[${many}], n, 0,
      CASE WHEN n % 10 = 0 THEN 1e15 END
    FROM generate_series(1, ${MANY}) n`);
  await admin.query(`INSERT INTO ${schema}.tinyagents_streams (namespace, name, head)
    SELECT ${owner}, convert_to('stream-' || n, 'UTF8') || '\\x00', 0 FROM generate_series(1, ${MANY}) n`);
  const { rows } = await admin.query(`INSERT INTO ${schema}.tinyagents_streams (namespace, name, head)
    VALUES (${owner}, convert_to('long', 'UTF8') || '\\x00', ${MANY}) RETURNING id`);
  await admin.query(`INSERT INTO ${schema}.tinyagents_log
    SELECT ${rows[0].id}, n, '1' FROM generate_series(0, ${MANY - 1}) n`);
}
