import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppendStore, StorageBackend, Store } from "@tinyagents/core";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { memoryBackend } from "@tinyagents/store-memory";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import { mongodb, postgres } from "./servers.js";

/** A backend with both kinds of store. */
export interface OpenBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/** A place of its own for one test, which may be opened again and again. */
export interface BackendPlace {
  /** Opens the place, as a new process would. Whoever opens closes. */
  open(): Promise<OpenBackend>;
  /** Takes the place away. */
  remove(): Promise<void>;
}

/** A backend that what is built on stores is tested over. */
export interface TestedBackend {
  readonly name: string;
  /** What was written is there when the place is opened again. */
  readonly durable: boolean;
  /** Why it cannot be tested here; absent: it can. */
  readonly skip?: string;
  place(): Promise<BackendPlace>;
}

const memory: TestedBackend = {
  name: "memory",
  durable: false,
  async place() {
    const backend = memoryBackend();
    return { open: async () => ({ ...backend, close: async () => {} }), remove: () => backend.close() };
  },
};

/** A backend whose place is a folder. What it has open is closed before the folder goes. */
function inFolder(name: string, open: (folder: string) => OpenBackend | Promise<OpenBackend>): TestedBackend {
  return {
    name,
    durable: true,
    async place() {
      const folder = await mkdtemp(join(tmpdir(), `tinyagents-${name}-`));
      const opened: OpenBackend[] = [];
      return {
        async open() {
          const backend = await open(folder);
          opened.push(backend);
          return backend;
        },
        async remove() {
          for (const backend of opened) await backend.close();
          await rm(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

const sqlite = inFolder("sqlite", (folder) => sqliteBackend({ path: join(folder, "records.db"), synchronous: "off" }));
const jsonl = inFolder("jsonl", (folder) => jsonlBackend({ folder, sync: "os" }));

/** Every backend, and why those that cannot be tested here cannot. */
export const backends: readonly TestedBackend[] = [memory, sqlite, jsonl, postgres, mongodb];
