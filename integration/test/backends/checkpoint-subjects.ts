import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckpointStoreSubject, OpenCheckpoints, Place } from "@tinyagents/conformance";
import type { AppendStore, JsonObject } from "@tinyagents/core";
import { checkpointStore } from "@tinyagents/persistence";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { mongodbBackend } from "@tinyagents/store-mongodb";
import { postgresBackend } from "@tinyagents/store-postgres";
import { sqliteBackend } from "@tinyagents/store-sqlite";
import { startMongodb, startPostgres } from "@tinyagents/testkit/servers";

/** A backend as far as checkpoints need it. */
interface Backend {
  readonly log: AppendStore;
  close(): Promise<void>;
}

/** A subject whose places other processes can open, too: they load this file, and start no servers. */
function subjectOf(
  exportName: string,
  where: () => Promise<{ readonly ref: JsonObject; remove?(): Promise<void> }>,
  open: (ref: never) => Backend | Promise<Backend>,
): CheckpointStoreSubject {
  const openAt = async (ref: unknown): Promise<OpenCheckpoints> => {
    const { log, close } = await open(ref as never);
    return { checkpoints: checkpointStore(log), close };
  };
  return {
    name: `checkpointStore on ${exportName}`,
    module: import.meta.url,
    exportName,
    async create(): Promise<Place<OpenCheckpoints>> {
      const place = await where();
      return { ...place, open: () => openAt(place.ref) };
    },
    openAt,
  };
}

async function folder(): Promise<{ readonly ref: { readonly folder: string }; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "tinyagents-checkpoints-"));
  return { ref: { folder: path }, remove: () => rm(path, { recursive: true, force: true }) };
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

export const sqlite: CheckpointStoreSubject = subjectOf("sqlite", folder, (ref: { readonly folder: string }) =>
  sqliteBackend({ path: join(ref.folder, "a.db"), synchronous: "normal" }),
);

export const jsonl: CheckpointStoreSubject = subjectOf("jsonl", folder, (ref: { readonly folder: string }) =>
  jsonlBackend({ folder: ref.folder, sync: "os" }),
);

export const postgres: CheckpointStoreSubject = subjectOf(
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

export const mongodb: CheckpointStoreSubject = subjectOf(
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
