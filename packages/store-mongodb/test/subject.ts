import { manualClock } from "@tinyagents/core";
import { startMongodb } from "@tinyagents/testkit/servers";
import { MongoClient } from "mongodb";
import { type MongodbBackend, type MongodbDb, mongodbBackend } from "../src/index.js";
import { isWrite, wrappedDb } from "./wrapped-db.js";

interface Ref {
  readonly url: string;
  readonly database: string;
  readonly collectionPrefix: string;
}

/** Small, so that checks with large values have many. */
const CHUNKS = { chunkBytes: 16 * 1024 };

let server: ReturnType<typeof startMongodb> | undefined;
let places = 0;

/** The server of this process: one that only opens places of another starts none. */
export function serverOfTests(): ReturnType<typeof startMongodb> {
  server ??= startMongodb();
  return server;
}

/** A database of which so many writes still succeed, and then so many fail. */
function failingDb(db: MongodbDb): { db: MongodbDb; fail(after: number, count: number): void } {
  let [left, failing] = [0, 0];
  const failed = wrappedDb(db, (call, run) => {
    if (!isWrite(call) || failing === 0) return run();
    if (left > 0) left--;
    else {
      failing--;
      return Promise.reject(new Error("the connection was lost"));
    }
    return run();
  });
  return {
    db: failed,
    fail(after, count) {
      [left, failing] = [after, count];
    },
  };
}

/** Collections whose time a check can move and whose writes it can make fail, also used by other processes. */
export const subject = {
  name: "mongodbBackend (STO-03, STO-08, CNF-04, SE-04, SE-06, ST-03, ST-08)",
  module: import.meta.url,
  create: async () => {
    const found = await serverOfTests();
    if (!found.available) throw new Error(found.reason);
    const ref = { url: found.url, database: `tinyagents_test_${process.pid}`, collectionPrefix: `p${++places}_` };
    const client = new MongoClient(ref.url);
    const { db, fail } = failingDb(client.db(ref.database));
    const clock = manualClock();
    return {
      ref,
      open: (): Promise<MongodbBackend> =>
        mongodbBackend({ db, collectionPrefix: ref.collectionPrefix, clock, ...CHUNKS }),
      advance: (ms: number) => clock.advance(ms),
      failWrites: ({ after, count }: { readonly after: number; readonly count: number }) => fail(after, count),
      remove: () => client.close(),
    };
  },
  openAt: (ref: unknown): Promise<MongodbBackend> => mongodbBackend({ ...(ref as Ref), ...CHUNKS }),
};
