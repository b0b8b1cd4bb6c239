import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPostgresSchema, type PostgresBackend, type PostgresPool, postgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, url, withServer } from "./support/place.js";

const KEY = ["thread", "1"];
const text = (content: string) => ({ type: "text", text: content }) as const;

/** A URL of the same server that counts as its own in the server's list of connections. */
function named(application: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}application_name=${application}`;
}

async function connectionsOf(application: string): Promise<number> {
  const query = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1";
  return (await admin.query(query, [application])).rows[0].count;
}

/** Transactions that somebody left open. */
async function openTransactions(application: string): Promise<number> {
  const query =
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1 AND state LIKE 'idle in transaction%'";
  return (await admin.query(query, [application])).rows[0].count;
}

withServer("connections", () => {
  let place: TestPlace;
  let backend: PostgresBackend | undefined;
  let application: string;
  let tests = 0;

  beforeEach(() => {
    place = newPlace();
    application = `test-${++tests}`;
  });

  afterEach(async () => {
    await backend?.close();
    backend = undefined;
    await place.remove();
  });

  function open(options: Parameters<TestPlace["open"]>[0] = {}): PostgresBackend {
    backend = place.open({ connectionString: named(application), ...options });
    return backend;
  }

  it("are all given back by 1,000 backends that were opened, used or not, and closed, twice (ST-06)", async () => {
    await createPostgresSchema(admin, { schema: place.schema });
    for (let round = 0; round < 1_000; round++) {
      const { store, close } = place.open({ connectionString: named(application) });
      if (round % 10 === 0) await store.put(KEY, text(String(round)));
      await Promise.all([close(), close()]);
    }
    await expect.poll(() => connectionsOf(application)).toBe(0);
  }, 120_000);

  it("are all given back by backends whose set-up fails, however often it is tried (ST-06)", async () => {
    for (let round = 0; round < 100; round++) {
      const { store, log, close } = place.open({ connectionString: named(application), createSchema: false });
      await expect(store.get(KEY)).rejects.toMatchObject({ code: "store_failed" });
      await expect(log.head("s")).rejects.toMatchObject({ message: expect.stringContaining("createPostgresSchema") });
      await close();
    }
    await expect.poll(() => connectionsOf(application)).toBe(0);
  });

  it("are never more than were allowed, and calls wait their turn", async () => {
    const { store } = open({ maxConnections: 2 });
    const puts = Array.from({ length: 50 }, (_, index) => store.put([String(index)], text("x")));
    const counts = await Promise.all([1, 2, 3].map(() => connectionsOf(application)));
    await Promise.all(puts);
    expect(Math.max(...counts, await connectionsOf(application))).toBeLessThanOrEqual(2);
  });

  it("that are all in use are waited for longer than connecting may take: a burst of calls is done", async () => {
    const { store } = open({ maxConnections: 1, connectTimeoutMs: 5_000 });
    await store.put(KEY, text("first"));
    const holder = await admin.connect();
    await holder.query(`BEGIN; LOCK TABLE ${place.schema}.tinyagents_records IN ACCESS EXCLUSIVE MODE`);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let burst: Promise<unknown>[];
    try {
      burst = Array.from({ length: 500 }, (_, index) => store.put([String(index)], text("x")));
      for (const one of burst) one.catch(() => {});
      await vi.advanceTimersByTimeAsync(60_000);
    } finally {
      vi.useRealTimers();
      await holder.query("ROLLBACK");
      holder.release();
    }
    await Promise.all(burst);
    expect((await store.list({ prefix: [], limit: 1_000 })).items.length).toBe(501);
  });

  it("that do not come up in time fail the call, which may be repeated", async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const { store, close } = postgresBackend({
      connectionString: `postgresql://nobody@127.0.0.1:${port}/nothing`,
      connectTimeoutMs: 1,
      follow: false,
    });
    await expect(store.get(KEY)).rejects.toMatchObject({ code: "store_failed", retryable: true });
    await close();
    silent.close();
  });

  it("that are all in use are waited for no longer than the signal lets a call", async () => {
    const pool = new pg.Pool({ connectionString: named(application), max: 1 });
    await createPostgresSchema(pool, { schema: place.schema });
    const { store, close } = postgresBackend({ pool, schema: place.schema, follow: false });
    await store.get(KEY);
    const held = await pool.connect();
    const controller = new AbortController();
    const put = store.put(KEY, text("x"), { signal: controller.signal });
    controller.abort();
    await expect(put).rejects.toMatchObject({ code: "cancelled" });
    held.release();
    expect(await store.get(KEY)).toBeUndefined();
    expect(pool.waitingCount).toBe(0);
    await close();
    await pool.end();
  });

  it("of the caller are not ended with the backend, and all are given back", async () => {
    const pool = new pg.Pool({ connectionString: named(application), max: 2 });
    const ours: PostgresPool = pool;
    const lent = postgresBackend({ pool: ours, schema: place.schema });
    await lent.store.put(KEY, text("x"));
    await lent.close();
    expect(pool.idleCount).toBe(pool.totalCount);
    expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it("that are lost are store_failed, to be tried again, and the next call has another one", async () => {
    const pool = new pg.Pool({ connectionString: named(application), max: 1 });
    const kept: boolean[] = [];
    pool.on("release", (spent) => kept.push(!spent));
    const { store, close } = postgresBackend({ pool, schema: place.schema, follow: false });
    await store.put(KEY, text("x"));
    const locker = await admin.connect();
    await locker.query("BEGIN");
    await locker.query(`LOCK TABLE ${place.schema}.tinyagents_records`);
    const put = store.put(KEY, text("y"));
    const outcome = put.catch((error: unknown) => error);
    await expect.poll(() => terminateWaiting(application)).toBe(1);
    expect(await outcome).toMatchObject({ code: "store_failed", retryable: true });
    expect(kept.at(-1)).toBe(false);
    await locker.query("ROLLBACK");
    locker.release();
    expect((await store.get(KEY))?.value).toEqual(text("x"));
    expect(kept.at(-1)).toBe(true);
    await close();
    await pool.end();
  });

  it("that are lost while they are idle are no error of anybody's", async () => {
    const { store } = open();
    await store.put(KEY, text("x"));
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [
      application,
    ]);
    await expect.poll(() => connectionsOf(application)).toBe(0);
    expect((await store.get(KEY).catch(() => store.get(KEY)))?.value).toEqual(text("x"));
  });

  it("to a server that is not there are store_failed, to be tried again, and the password is not told", async () => {
    const url = "postgresql://user:secret%2Fword@127.0.0.1:1/nothing";
    backend = postgresBackend({ connectionString: url });
    const failure = await backend.store.get(KEY).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "store_failed", retryable: true });
    expect(JSON.stringify(failure) + String((failure as Error).cause)).not.toContain("secret");
  });

  describe("of a call that is cancelled", () => {
    let locker: pg.PoolClient;

    beforeEach(async () => {
      const { store, log } = open({ maxConnections: 1 });
      await store.put(KEY, text("old"));
      await log.append("s", ["old"]);
      locker = await admin.connect();
      await locker.query("BEGIN");
      for (const table of ["records", "streams"])
        await locker.query(`SELECT FROM ${place.schema}.tinyagents_${table} FOR UPDATE`);
    });

    afterEach(async () => {
      await locker.query("ROLLBACK");
      locker.release();
    });

    const calls: { readonly [name: string]: (on: PostgresBackend, signal: AbortSignal) => Promise<unknown> } = {
      "a put": ({ store }, signal) => store.put(KEY, text("new"), { signal }),
      "a delete": ({ store }, signal) => store.delete(KEY, { signal }),
      "a batch": ({ store }, signal) =>
        store.batch(
          [
            { type: "put", key: ["other"], value: text("new") },
            { type: "put", key: KEY, value: text("new") },
          ],
          { signal },
        ),
      "an append": ({ log }, signal) => log.append("s", ["new"], { signal }),
      "deleting a stream": ({ log }, signal) => log.delete("s", { signal }),
    };

    it.each(Object.keys(calls))(
      "wait for nothing, do nothing later, and have no transaction open: %s",
      async (name) => {
        const on = backend as PostgresBackend;
        const controller = new AbortController();
        const call = calls[name]?.(on, controller.signal);
        await expect.poll(() => waiting(application)).toBe(1);
        controller.abort();
        await expect(call).rejects.toMatchObject({ code: "cancelled" });
        expect(await openTransactions(application)).toBe(0);
        await expect.poll(() => waiting(application)).toBe(0);
        await locker.query("ROLLBACK");
        const records = await on.store.list({ prefix: [] });
        expect(records.items.map(({ value }) => value)).toEqual([text("old")]);
        expect(await on.log.read("s")).toEqual([{ offset: 0, value: "old" }]);
      },
    );
  });
});

/** How many statements of an application wait for a lock. */
async function waiting(application: string): Promise<number> {
  const query =
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
  return (await admin.query(query, [application])).rows[0].count;
}

/** Ends the connections of an application that wait for a lock, and says how many. */
async function terminateWaiting(application: string): Promise<number> {
  const query =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
  return (await admin.query(query, [application])).rows.length;
}
