import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type AppendStore, isTinyAgentsError, messageOf, type Store } from "@tinyagents/core";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { memoryBackend } from "@tinyagents/store-memory";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import { UsageError } from "./usage-error.js";

/** An open backend. */
interface Storage {
  readonly store: Store;
  readonly log: AppendStore;
  close(): Promise<void>;
}

/** Where runs and threads are kept. */
export interface OpenedStore extends Storage {
  /** For people: `sqlite:/home/ann/.tinyagents/demo.db`, without a password. */
  readonly name: string;
  /** Why it is not the one that was expected. */
  readonly note?: string;
}

/** Kinds of stores, and how each is opened. Drivers are loaded by whoever asks for them. */
const KINDS: ReadonlyMap<string, (place: string, cwd: string) => Promise<OpenedStore>> = new Map([
  ["sqlite", openSqlite],
  ["jsonl", openJsonl],
  ["mongodb", openMongodb],
  ["postgres", (place) => openPostgres("postgres", place)],
  ["postgresql", (place) => openPostgres("postgresql", place)],
  ["memory", openMemory],
]);

export const STORES: string = "sqlite:FILE, jsonl:FOLDER, mongodb://SERVER, postgres://SERVER or memory";

const DEFAULT_FILE = ".tinyagents/demo.db";
const DEFAULT_FOLDER = ".tinyagents/demo";

/**
 * Opens the store that `--store` names, by default an SQLite file; where SQLite cannot be loaded, a folder of JSON lines.
 * @throws UsageError
 */
export async function openStore(spec: string | undefined, cwd: string): Promise<OpenedStore> {
  if (spec === undefined) return openDefault(cwd);
  const [kind = "", ...rest] = spec.split(":");
  const open = KINDS.get(kind);
  const place = rest.join(":");
  if (open === undefined || (place === "") !== (kind === "memory") || place.includes("\0"))
    throw new UsageError(`--store: ${STORES} is expected.`);
  try {
    return await open(place, cwd);
  } catch (error) {
    throw new UsageError(`--store: ${kind} cannot be opened: ${messageOf(error)}`);
  }
}

async function openDefault(cwd: string): Promise<OpenedStore> {
  try {
    await sqliteBackend({ path: ":memory:" }).close();
  } catch (error) {
    if (!isTinyAgentsError(error)) throw error;
    const note = `SQLite cannot be loaded here (${messageOf(error)}), so a folder of JSON lines is used.`;
    return { ...(await openStore(`jsonl:${DEFAULT_FOLDER}`, cwd)), note };
  }
  return openStore(`sqlite:${DEFAULT_FILE}`, cwd);
}

async function openSqlite(place: string, cwd: string): Promise<OpenedStore> {
  const path = resolve(cwd, place);
  // For its owner alone: it holds what was read.
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return { ...sqliteBackend({ path }), name: `sqlite:${path}` };
}

async function openJsonl(place: string, cwd: string): Promise<OpenedStore> {
  const folder = resolve(cwd, place);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return { ...jsonlBackend({ folder }), name: `jsonl:${folder}` };
}

async function openMongodb(place: string): Promise<OpenedStore> {
  const url = urlOf("mongodb", place);
  const { mongodbBackend } = await import("@tinyagents/store-mongodb");
  const database = new URL(url).pathname.slice(1) || "tinyagents";
  return { ...(await mongodbBackend({ url, database })), name: withoutPassword(url) };
}

async function openPostgres(kind: string, place: string): Promise<OpenedStore> {
  const connectionString = urlOf(kind, place);
  const { postgresBackend } = await import("@tinyagents/store-postgres");
  const backend = postgresBackend({ connectionString });
  try {
    // It connects on first use: a server that is not there is told now, and not in the middle of a run.
    await backend.store.get(["demo"]);
    return { ...backend, name: withoutPassword(connectionString) };
  } catch (error) {
    await backend.close();
    throw error;
  }
}

/** `mongodb://SERVER` as it stands, or after the kind: `mongodb:mongodb+srv://SERVER`. */
function urlOf(kind: string, place: string): string {
  return place.startsWith("//") ? `${kind}:${place}` : place;
}

function withoutPassword(url: string): string {
  const shown = new URL(url);
  shown.password = "";
  return shown.href;
}

async function openMemory(): Promise<OpenedStore> {
  return { ...memoryBackend(), name: "memory" };
}
