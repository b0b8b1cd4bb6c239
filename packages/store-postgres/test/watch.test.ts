import { follow, manualClock } from "@tinyagents/core";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type PostgresBackend, postgresBackend } from "../src/index.js";
import { admin, newPlace, type TestPlace, url, withServer } from "./support/place.js";

/** Connections that listen, of all backends of this process. */
async function listening(): Promise<number> {
  const query = "SELECT count(*)::int AS count FROM pg_stat_activity WHERE query LIKE 'LISTEN %'";
  return (await admin.query(query)).rows[0].count;
}

withServer("logs that are watched (STO-10, STO-02)", () => {
  let place: TestPlace;
  let writer: PostgresBackend;
  let watcher: PostgresBackend;
  let heard: string[];

  beforeEach(() => {
    place = newPlace();
    writer = place.open();
    watcher = place.open();
    heard = [];
  });

  afterEach(async () => {
    await writer.close();
    await watcher.close();
    await place.remove();
  });

  async function watch(stream: string, name = stream): Promise<() => void> {
    return (await watcher.log.watch?.(stream, () => heard.push(name))) as () => void;
  }

  it("call back for appends of another backend, to their own stream alone, whatever its name", async () => {
    const names = ["a", "b", "'; NOTIFY --", "half \ud83d", "\0", "n".repeat(1_000)];
    const ends: (() => void)[] = [];
    for (const name of names) ends.push(await watch(name));
    for (const name of names.slice(1)) await writer.log.append(name, [1]);
    await expect.poll(() => heard.length).toBe(names.length - 1);
    expect(heard).toEqual(names.slice(1));
    for (const end of ends) end();
  });

  it("call back each watcher until it ends its own watch, however often it does", async () => {
    const ends = [await watch("s", "first"), await watch("s", "second")];
    ends[0]?.();
    ends[0]?.();
    await writer.log.append("s", [1]);
    await expect.poll(() => heard).toEqual(["second"]);
    ends[1]?.();
  });

  it("are not told of an append that failed, or that was a repeat", async () => {
    await writer.log.append("s", [1], { idempotencyKey: "k" });
    const end = await watch("s");
    await writer.log.append("s", [1], { idempotencyKey: "k" });
    await expect(writer.log.append("s", [1], { expectedOffset: 7 })).rejects.toMatchObject({ code: "conflict" });
    const marker = await watch("marker");
    await writer.log.append("marker", [1]);
    await expect.poll(() => heard).toEqual(["marker"]);
    end();
    marker();
  });

  it("take one connection for all watchers, and none when nobody watches", async () => {
    expect(await listening()).toBe(0);
    const ends = [await watch("a"), await watch("b"), await watch("a")];
    expect(await listening()).toBe(1);
    for (const end of ends) end();
    await expect.poll(listening).toBe(0);
    const again = await watch("a");
    await writer.log.append("a", [1]);
    await expect.poll(() => heard).toEqual(["a"]);
    again();
  });

  it("are listened to again when the connection was lost, and everybody is called back", async () => {
    const ends = [await watch("a"), await watch("b")];
    await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN %'");
    await expect.poll(() => [...heard].sort()).toEqual(["a", "b"]);
    await writer.log.append("a", [1]);
    await expect.poll(() => [...heard].sort()).toEqual(["a", "a", "b"]);
    for (const end of ends) end();
  });

  it("are followed without asking: records come as they are appended", async () => {
    const clock = manualClock();
    const records = follow(watcher.log, "s", { clock });
    const first = records.next();
    await writer.log.append("s", ["a"]);
    expect((await first).value).toEqual({ offset: 0, value: "a" });
    const second = records.next();
    await writer.log.append("s", ["b"]);
    expect((await second).value).toEqual({ offset: 1, value: "b" });
    await records.return(undefined as never);
    await expect.poll(listening).toBe(0);
  });

  it("end for those who follow when the backend is closed: they are told that it is", async () => {
    const records = follow(watcher.log, "s", { clock: manualClock() });
    const next = records.next().catch((error: unknown) => error);
    await expect.poll(listening).toBe(1);
    await watcher.close();
    expect(await next).toMatchObject({ code: "store_failed" });
    await expect.poll(listening).toBe(0);
  });

  it("are watched over a connection of the caller's pool, which is closed afterwards", async () => {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    const lent = postgresBackend({ pool, schema: place.schema });
    const end = await lent.log.watch?.("s", () => heard.push("lent"));
    expect(pool.totalCount - pool.idleCount).toBe(1);
    await lent.log.append("s", [1]);
    await expect.poll(() => heard).toEqual(["lent"]);
    end?.();
    await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
    await expect.poll(listening).toBe(0);
    await lent.close();
    await pool.end();
  });

  it("cannot be watched where the backend does not tell, and says so", async () => {
    const silent = place.open({ follow: false });
    expect(silent.log.capabilities.follow).toBe(false);
    expect(silent.log).not.toHaveProperty("watch");
    const end = await watch("s");
    await silent.log.append("s", [1], { idempotencyKey: "k" });
    const marker = await watch("marker");
    await writer.log.append("marker", [1]);
    await expect.poll(() => heard).toEqual(["marker"]);
    for (const stop of [end, marker]) stop();
    await silent.close();
  });

  it("are not watched, and nothing is left listening, when the watch is cancelled or the server is not there", async () => {
    const controller = new AbortController();
    const watching = watcher.log.watch?.("s", () => undefined, { signal: controller.signal });
    controller.abort();
    await expect(watching).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(listening).toBe(0);
    const nowhere = postgresBackend({ connectionString: "postgresql://user@127.0.0.1:1/nothing" });
    await expect(nowhere.log.watch?.("s", () => undefined)).rejects.toMatchObject({ code: "store_failed" });
    await nowhere.close();
  });
});
