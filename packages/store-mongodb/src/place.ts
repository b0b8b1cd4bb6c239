import type { Clock, IdSource } from "@tinyagents/core";
import type { Chunks } from "./chunks.js";
import type { Collections } from "./collections.js";
import type { MongodbDb } from "./driver.js";

/** What the stores of a backend share. */
export interface Place {
  readonly db: MongodbDb;
  readonly collections: Collections;
  readonly chunks: Chunks;
  /** The largest body of a document, and the size of chunks. */
  readonly chunkBytes: number;
  /** Whether the server has transactions, and they are used. */
  readonly transactions: boolean;
  readonly clock: Clock;
  readonly ids: IdSource;
}
