import { join } from "node:path";
import type { AppendStore, StorageBackend, Store } from "@tinyagents/core";

/** A backend with both kinds of store. */
export interface OpenBackend extends StorageBackend {
  readonly store: Store;
  readonly log: AppendStore;
}

/** Where the data of a durable backend lies, as another process is told it. */
export type BackendRef =
  | { readonly type: "sqlite" | "jsonl"; readonly folder: string }
  | { readonly type: "postgres"; readonly url: string; readonly schema: string }
  | { readonly type: "mongodb"; readonly url: string; readonly database: string; readonly collectionPrefix: string };

/** What backends need that cannot be bundled. */
export const DRIVERS = ["better-sqlite3", "pg", "mongodb"] as const;

/**
 * Opens a place, and loads only what that takes. Nothing waits for disks: what a process has written outlives it, as long as
 * the machine does.
 */
export async function openBackend(ref: BackendRef): Promise<OpenBackend> {
  switch (ref.type) {
    case "sqlite": {
      const { sqliteBackend } = await import("@tinyagents/store-sqlite");
      return sqliteBackend({ path: join(ref.folder, "records.db"), synchronous: "off" });
    }
    case "jsonl": {
      const { jsonlBackend } = await import("@tinyagents/store-jsonl");
      return jsonlBackend({ folder: ref.folder, sync: "os" });
    }
    case "postgres": {
      const { postgresBackend } = await import("@tinyagents/store-postgres");
      return postgresBackend({ connectionString: ref.url, schema: ref.schema, maxConnections: 4 });
    }
    case "mongodb": {
      const { mongodbBackend } = await import("@tinyagents/store-mongodb");
      const { url, database, collectionPrefix } = ref;
      return mongodbBackend({ url, database, collectionPrefix });
    }
  }
}
