import { randomUUID } from "node:crypto";
import { startMongodb, startPostgres } from "@tinyagents/testkit/servers";
import type { BackendRef } from "./open-backend.js";
import { placeOf, type TestedBackend } from "./place.js";

/** Servers of this file of tests: private ones end with its process. */
const [postgresServer, mongodbServer] = await Promise.all([startPostgres(), startMongodb()]);

/** Places of other files, in servers of somebody else's, have other names. */
const place = `t${randomUUID().slice(0, 8)}`;
let places = 0;

/** A backend whose place is a name in a server. */
function inServer(
  name: string,
  server: { readonly available: true; readonly url: string } | { readonly available: false; readonly reason: string },
  refOf: (url: string, place: string) => BackendRef,
): TestedBackend {
  const url = server.available ? server.url : "";
  return {
    name,
    durable: true,
    ...(server.available ? {} : { skip: server.reason }),
    place: async () => placeOf(refOf(url, `${place}_${++places}`)),
  };
}

export const postgres: TestedBackend = inServer("postgres", postgresServer, (url, schema) => ({
  type: "postgres",
  url,
  schema,
}));

export const mongodb: TestedBackend = inServer("mongodb", mongodbServer, (url, own) => ({
  type: "mongodb",
  url,
  database: place,
  collectionPrefix: `${own}_`,
}));
