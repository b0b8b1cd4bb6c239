import { randomUUID } from "node:crypto";
import { mongodbBackend } from "@tinyagents/store-mongodb";
import { postgresBackend } from "@tinyagents/store-postgres";
import { startMongodb, startPostgres } from "@tinyagents/testkit/servers";
import type { OpenBackend, TestedBackend } from "./backends.js";

/** Servers of this file of tests: private ones end with its process. */
const [postgresServer, mongodbServer] = await Promise.all([startPostgres(), startMongodb()]);

/** Places of other files, in servers of somebody else's, have other names. */
const place = `t${randomUUID().slice(0, 8)}`;
let places = 0;

/** A backend whose place is a name in a server. */
function inServer(
  name: string,
  server: { readonly available: true; readonly url: string } | { readonly available: false; readonly reason: string },
  open: (url: string, place: string) => Promise<OpenBackend> | OpenBackend,
): TestedBackend {
  const url = server.available ? server.url : "";
  return {
    name,
    durable: true,
    ...(server.available ? {} : { skip: server.reason }),
    async place() {
      const own = `${place}_${++places}`;
      const opened: OpenBackend[] = [];
      return {
        async open() {
          const backend = await open(url, own);
          opened.push(backend);
          return backend;
        },
        async remove() {
          for (const backend of opened) await backend.close();
        },
      };
    },
  };
}

export const postgres: TestedBackend = inServer("postgres", postgresServer, (connectionString, schema) =>
  postgresBackend({ connectionString, schema, maxConnections: 4 }),
);

export const mongodb: TestedBackend = inServer("mongodb", mongodbServer, (url, own) =>
  mongodbBackend({ url, database: place, collectionPrefix: `${own}_` }),
);
