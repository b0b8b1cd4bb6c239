import { join } from "node:path";
import {
  type ChaosSubject,
  type CheckpointStoreSubject,
  type OpenBackend,
  type OpenCheckpoints,
  type OpenTasks,
  type Place,
  type TaskStoreSubject,
  temporaryFolder,
} from "@tinyagents/conformance";
import type { AppendStore, JsonObject, Store } from "@tinyagents/core";
import { checkpointStore, taskStore } from "@tinyagents/persistence";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { mongodbBackend } from "@tinyagents/store-mongodb";
import { postgresBackend } from "@tinyagents/store-postgres";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import { startMongodb, startPostgres } from "@tinyagents/testkit/servers";

/** A backend as far as it is looked at here. */
interface Backend {
  readonly store: Store;
  readonly log: AppendStore;
  close(): Promise<void>;
}

/** All that is opened on a backend. */
type Opened = OpenBackend & OpenCheckpoints & OpenTasks;

/**
 * A subject whose places other processes can open, too: they load this file, and start no servers. The records and the log
 * of the backend are there as well, for whoever kills processes that write to all of them.
 */
function subjectOf(
  exportName: string,
  where: () => Promise<{ readonly ref: JsonObject; remove?(): Promise<void> }>,
  open: (ref: never) => Backend | Promise<Backend>,
): CheckpointStoreSubject & TaskStoreSubject & ChaosSubject {
  const openAt = async (ref: unknown): Promise<Opened> => {
    const { store, log, close } = await open(ref as never);
    const tasks = taskStore(store);
    return { store, log, checkpoints: checkpointStore(log), tasks, capabilities: store.capabilities, close };
  };
  return {
    name: exportName,
    module: import.meta.url,
    exportName,
    async create(): Promise<Place<Opened>> {
      const place = await where();
      return { ...place, open: () => openAt(place.ref) };
    },
    openAt,
  };
}

async function folder(): Promise<{ readonly ref: { readonly folder: string }; remove(): Promise<void> }> {
  const { path, remove } = temporaryFolder("checkpoints");
  return { ref: { folder: path }, remove };
}

const servers = new Map<string, Promise<string>>();
let places = 0;

/** The address of a server, which is started once. @throws why there is none. */
function serverAt(name: string, start: typeof startPostgres | typeof startMongodb): Promise<string> {
  const started = servers.get(name) ?? start().then(urlOf);
  servers.set(name, started);
  return started;
}

function urlOf(server: Awaited<ReturnType<typeof startPostgres>>): string {
  if (server.available) return server.url;
  throw new Error(server.reason);
}

export const sqlite = subjectOf("sqlite", folder, (ref: { readonly folder: string }) =>
  sqliteBackend({ path: join(ref.folder, "a.db"), synchronous: "normal" }),
);

export const jsonl = subjectOf("jsonl", folder, (ref: { readonly folder: string }) =>
  jsonlBackend({ folder: ref.folder, sync: "os" }),
);

export const postgres = subjectOf(
  "postgres",
  async () => ({
    ref: {
      connectionString: await serverAt("postgres", startPostgres),
      schema: `checkpoints_${process.pid}_${++places}`,
      maxConnections: 2,
    },
  }),
  (ref: { readonly connectionString: string; readonly schema: string }) => postgresBackend(ref),
);

export const mongodb = subjectOf(
  "mongodb",
  async () => ({
    ref: {
      url: await serverAt("mongodb", startMongodb),
      database: `tinyagents_checkpoints_${process.pid}`,
      collectionPrefix: `p${++places}_`,
    },
  }),
  (ref: { readonly url: string; readonly database: string }) => mongodbBackend(ref),
);
