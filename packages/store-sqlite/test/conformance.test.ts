import { appendStoreConformance, storeChaos, storeConformance } from "@tinyagents/conformance/vitest";
import { manualClock } from "@tinyagents/core";
import { betterSqlite3Driver, sqliteBackend } from "../src/index.js";
import { databaseFolder } from "./places.js";
import { subject } from "./subject.js";
import { openDatabase } from "./support.js";

/** A connection that an application has opened, with tables of its own names. */
const driver = {
  name: "sqliteBackend, a connection of the caller (STO-17)",
  create: () => {
    const clock = manualClock();
    const { path, remove } = databaseFolder();
    return {
      open: () => {
        const database = openDatabase(path("a.db"));
        const backend = sqliteBackend({ driver: betterSqlite3Driver(database), tablePrefix: "host_", clock });
        return { ...backend, close: () => backend.close().then(() => void database.close()) };
      },
      advance: (ms: number) => clock.advance(ms),
      remove,
    };
  },
};

/** Nothing but memory: neither durable nor shared. */
const memory = {
  name: "sqliteBackend, in memory (STO-09)",
  create: () => {
    const clock = manualClock();
    return { open: () => sqliteBackend({ path: ":memory:", clock }), advance: (ms: number) => clock.advance(ms) };
  },
};

for (const each of [subject, driver, memory]) {
  storeConformance(each);
  appendStoreConformance(each);
}
storeChaos(subject, { kills: 5 });
