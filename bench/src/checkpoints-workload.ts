import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckpointRow } from "@tinyagents/core";
import { checkpointStore } from "@tinyagents/persistence";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import Database from "better-sqlite3";

/** How careful the file is with each commit. */
export type Care = "normal" | "full";

/** The supersteps of a thread: a checkpoint and what one task left. */
export interface Thread {
  /** Writes so many, in two transactions each. */
  write(steps: number): Promise<void>;
  /** Restores the newest. Gives how many rows that took. */
  load(): Promise<number>;
  /** Lists all. Gives how many there are. */
  history(): Promise<number>;
  close(): Promise<void>;
}

const LINEAGE = { threadId: "t", namespace: "" } as const;
/** As often a checkpoint holds everything. */
const BASE_EVERY = 50;
const MOST = 10_000;

function rowAt(step: number): CheckpointRow {
  return {
    v: 1,
    ...LINEAGE,
    checkpointId: `checkpoint-${step}`,
    parentId: step === 0 ? null : `checkpoint-${step - 1}`,
    baseId: `checkpoint-${step - (step % BASE_EVERY)}`,
    step,
    createdAtMs: 1_700_000_000_000 + step,
    metadata: { graph: "bench", next: ["node"] },
    changes: { messages: [{ role: "assistant", text: "x".repeat(300) }] },
  };
}

const WRITES = [{ channel: "messages", value: "x".repeat(300) }];

export function byStore(care: Care): Thread {
  const folder = mkdtempSync(join(tmpdir(), "bench-checkpoints-"));
  const { log, close } = sqliteBackend({ path: join(folder, "a.db"), synchronous: care });
  const checkpoints = checkpointStore(log);
  return {
    async write(steps) {
      for (let step = 0; step < steps; step++) {
        const row = rowAt(step);
        await checkpoints.append(row, { expectedHead: row.parentId });
        await checkpoints.putWrites({ ...LINEAGE, checkpointId: row.checkpointId, taskId: "task", writes: WRITES });
      }
    },
    load: async () => (await checkpoints.load(LINEAGE))?.rows.length ?? 0,
    history: async () => (await checkpoints.list(LINEAGE, { limit: MOST })).length,
    async close() {
      await close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The least that does the same: the same bytes, a transaction per call, statements prepared once. */
export function byStatements(care: Care): Thread {
  const folder = mkdtempSync(join(tmpdir(), "bench-checkpoints-"));
  const database = new Database(join(folder, "a.db"));
  database.pragma("journal_mode = wal");
  database.pragma(`synchronous = ${care}`);
  database.exec(
    "create table entries (stream integer not null, at integer not null, value text not null, primary key (stream, at)) strict",
  );
  database.exec(
    "create table keys (stream integer not null, key text not null, at integer not null, primary key (stream, key)) strict, without rowid",
  );
  const [begin, commit] = [database.prepare("begin immediate"), database.prepare("commit")];
  const insert = database.prepare("insert into entries (stream, at, value) values (1, ?, ?)");
  const insertKey = database.prepare("insert into keys (stream, key, at) values (1, ?, ?)");
  const from = database.prepare("select value from entries where stream = 1 and at >= ? order by at");
  let at = 0;
  const add = (entry: object, key?: string): void => {
    const text = JSON.stringify(entry);
    begin.run();
    insert.run(at, text);
    if (key !== undefined) insertKey.run(key, at);
    commit.run();
    at += 1;
  };
  const read = (first: number): readonly { readonly row?: CheckpointRow }[] =>
    (from.all(first) as readonly { readonly value: string }[]).map(({ value }) => JSON.parse(value) as object);
  return {
    async write(steps) {
      for (let step = 0; step < steps; step++) {
        const row = rowAt(step);
        const [headAt, baseAt] = [at, 2 * (step - (step % BASE_EVERY))];
        const places = { v: 1, headAt, baseAt, startAt: 0, fence: 0 };
        add({ ...places, type: "checkpoint", row }, `checkpoint/${row.checkpointId}`);
        add({ ...places, type: "task", task: { taskId: "task", writes: WRITES } });
      }
    },
    load: async () => read(at - 2 - ((at - 2) % (2 * BASE_EVERY))).filter(({ row }) => row !== undefined).length,
    history: async () => read(0).filter(({ row }) => row !== undefined).length,
    async close() {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
