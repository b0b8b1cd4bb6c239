import { randomUUID } from "node:crypto";
import type { Clock } from "@tinyagents/core";
import { startMongodb } from "@tinyagents/testkit/servers";
import { MongoClient } from "mongodb";
import { afterAll } from "vitest";
import { type MongodbBackend, type MongodbOptions, mongodbBackend } from "../src/index.js";

/** Building a server takes minutes, once. */
const server = await startMongodb();

/** Why there is no server, where there is none: tests are skipped with it. */
export const missing: string | undefined = server.available ? undefined : server.reason;
export const url: string = server.available ? server.url : "mongodb://127.0.0.1:1/";
/** Of this file of tests alone: a server of somebody else's may have other databases. */
export const database: string = `tinyagents_test_${randomUUID().slice(0, 8)}`;
/** To look behind the backend. */
export const client: MongoClient = new MongoClient(url);

let places = 0;

/** The options of a new, empty place. */
export function newPlace(options: MongodbOptions = {}): MongodbOptions & { url: string; database: string } {
  return { url, database, collectionPrefix: `p${++places}_`, ...options };
}

/** A backend at a new place, closed in the end. */
export async function open(options: MongodbOptions & { clock?: Clock } = {}): Promise<MongodbBackend> {
  return keep(await mongodbBackend(newPlace(options)));
}

const kept: MongodbBackend[] = [];

/** Closes a backend after all tests of the file. */
export function keep(backend: MongodbBackend): MongodbBackend {
  kept.push(backend);
  return backend;
}

afterAll(async () => {
  for (const backend of kept) await backend.close();
  // A private server takes its data along.
  if (process.env.MONGODB_URI) await client.db(database).dropDatabase();
  await client.close();
  if (server.available) await server.stop();
});
