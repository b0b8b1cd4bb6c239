import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue } from "@tinyagents/core";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import Database from "better-sqlite3";

/** How careful the file is with each commit. */
export type Care = "normal" | "full";

/** The same work, by a backend and by statements written by hand, on files of their own. */
export interface Contestant {
  put(index: number): Promise<void>;
  append(index: number): Promise<void>;
  /** Appends so many events in one transaction each thousand. */
  fill(events: number): Promise<void>;
  /** Reads all events, a thousand at a time, and gives how many there were. */
  readBack(): Promise<number>;
  close(): Promise<void>;
}

/** A record or event of about 400 bytes. */
export function eventAt(index: number): JsonValue {
  return {
    id: index,
    type: "tool.completed",
    at: 1_700_000_000_000 + index,
    data: { text: "x".repeat(320), ok: true },
  };
}

const KEYS = 1_000;
const PAGE = 1_000;

function keyOf(index: number): readonly string[] {
  return ["threads", `t${index % KEYS}`];
}

export function byBackend(care: Care): Contestant {
  const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
  const { store, log, close } = sqliteBackend({ path: join(folder, "a.db"), synchronous: care });
  return {
    async put(index) {
      await store.put(keyOf(index), { type: "json", value: eventAt(index) });
    },
    async append(index) {
      await log.append("events", [eventAt(index)]);
    },
    async fill(events) {
      for (let at = 0; at < events; at += PAGE) {
        await log.append(
          "journal",
          Array.from({ length: PAGE }, (_, index) => eventAt(at + index)),
        );
      }
    },
    async readBack() {
      let next = 0;
      for (;;) {
        const records = await log.read("journal", { from: next, limit: PAGE });
        if (records.length === 0) return next;
        next = (records.at(-1)?.offset ?? next) + 1;
      }
    },
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * The least that does the same: one transaction per call, statements prepared once. The table of records has our columns; that of
 * entries is the one that comes to mind, with a key of its own, where ours has one tree of pages less.
 */
export function byStatements(care: Care): Contestant {
  const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
  const database = new Database(join(folder, "a.db"));
  database.pragma("journal_mode = wal");
  database.pragma(`synchronous = ${care}`);
  database.exec(`
    create table records (id integer primary key, key blob not null unique, kind integer not null, value any not null,
      version text not null, attributes text, updated_at_ms real not null, expires_at_ms real) strict;
    create table entries (stream integer not null, offset integer not null, value text not null,
      primary key (stream, offset)) strict;`);
  const begin = database.prepare("begin immediate");
  const commit = database.prepare("commit");
  const put = database.prepare(
    `insert into records (key, kind, value, version, updated_at_ms) values (?, 0, ?, ?, ?) on conflict (key) do update set
     kind = excluded.kind, value = excluded.value, version = excluded.version, updated_at_ms = excluded.updated_at_ms`,
  );
  const append = database.prepare("insert into entries (stream, offset, value) values (?, ?, ?)");
  const read = database.prepare(
    `select offset, value from entries where stream = 2 and offset >= ? order by offset limit ${PAGE}`,
  );
  let version = 0;
  const inTransaction = (work: () => void): void => {
    begin.run();
    work();
    commit.run();
  };
  return {
    async put(index) {
      const key = Buffer.from(`${keyOf(index).join("\0")}\0`);
      const text = JSON.stringify(eventAt(index));
      inTransaction(() => put.run(key, text, `00000000000000000000.${version++}`, Date.now()));
    },
    async append(index) {
      const text = JSON.stringify(eventAt(index));
      inTransaction(() => append.run(1, index, text));
    },
    async fill(events) {
      for (let at = 0; at < events; at += PAGE) {
        inTransaction(() => {
          for (let index = 0; index < PAGE; index++) append.run(2, at + index, JSON.stringify(eventAt(at + index)));
        });
      }
    },
    async readBack() {
      let next = 0;
      for (;;) {
        const rows = read.all(next) as readonly { readonly offset: number; readonly value: string }[];
        const records = rows.map(({ offset, value }) => ({ offset, value: JSON.parse(value) as JsonValue }));
        if (records.length === 0) return next;
        next = (records.at(-1)?.offset ?? next) + 1;
      }
    },
    async close() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A file with some records under one name, and so many under others. What it gives lists a page of the first. */
export async function listingAmong(others: number): Promise<{ list(): Promise<number>; close(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "bench-sqlite-"));
  const { store, close } = sqliteBackend({ path: join(folder, "a.db"), synchronous: "normal" });
  const put = (name: string, index: number) =>
    ({ type: "put", key: [name, String(index)], value: { type: "json", value: eventAt(index) } }) as const;
  await store.batch(Array.from({ length: 100 }, (_, index) => put("mine", index)));
  for (let at = 0; at < others; at += PAGE) {
    await store.batch(Array.from({ length: PAGE }, (_, index) => put(index % 2 === 0 ? "a" : "z", at + index)));
  }
  return {
    list: async () => (await store.list({ prefix: ["mine"], limit: 100 })).items.length,
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}
