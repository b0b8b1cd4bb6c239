import {
  type CheckedWrite,
  recordName,
  type StoreVersion,
  storeFailure,
  systemClock,
  systemRandom,
  throwIfAborted,
  writeConflict,
} from "@tinyagents/core";
import { placeBody } from "./body.js";
import { ownerOf, type WrittenChunks } from "./chunks.js";
import { type Fields, isDuplicate, isNotImplemented, type MongodbSession } from "./driver.js";
import { idOfKey } from "./fields.js";
import type { Place } from "./place.js";
import { bodyOf, isExpired, type RecordTimes, recordFields } from "./record-document.js";

/** A write that has all it needs to be done in one step. */
export interface PreparedWrite {
  readonly write: CheckedWrite;
  readonly id: string;
  readonly nowMs: number;
  /** Absent for a delete. */
  readonly put?: { readonly version: StoreVersion; readonly document: Fields; readonly chunks?: WrittenChunks };
}

/** The condition of a write does not hold. What is there instead is read afterwards: the server may be inside a transaction. */
export class ConditionFailed extends Error {
  readonly prepared: PreparedWrite;

  constructor(prepared: PreparedWrite) {
    super("the version is another");
    this.prepared = prepared;
  }
}

/** Two who create one record at once: the later one finds it there, and replaces it. */
const MOST_TRIES = 20;

/** Writes of records, in three steps: what takes long, what everybody sees at one moment, what is left over. */
export class KeyedWrites {
  readonly #place: Place;
  /** Some servers cannot leave out fields of what they replace. */
  #selectsFields = true;

  constructor(place: Place) {
    this.#place = place;
  }

  async prepare(write: CheckedWrite, signal: AbortSignal | undefined): Promise<PreparedWrite> {
    const { clock, ids, chunks, chunkBytes } = this.#place;
    const id = idOfKey(write.key);
    const nowMs = clock.now();
    if (write.type === "delete") return { write, id, nowMs };
    const version = ids.next("v");
    const times = this.#timesOf(write.ttlMs, nowMs);
    const use = { type: "record", place: id } as const;
    const check = (): void => throwIfAborted(signal);
    const body = await placeBody(bodyOf(write.value), chunkBytes, (bytes) =>
      chunks.write(bytes, use, times.removeAt, check),
    );
    const document = { ...recordFields(write, version, times), ...body.fields };
    return { write, id, nowMs, put: { version, document, ...(body.chunks && { chunks: body.chunks }) } };
  }

  /**
   * The step that everybody sees. Gives the document that was there, with its chunks at least, whether or not its time was over.
   * @throws ConditionFailed when the condition does not hold.
   */
  async apply(prepared: PreparedWrite, session?: MongodbSession): Promise<Fields | undefined> {
    const { put } = prepared;
    put?.chunks?.checkFresh();
    const found = await (put === undefined
      ? this.#delete(prepared, session)
      : this.#put(prepared, put.document, session));
    return (found as Fields | null) ?? undefined;
  }

  /** Takes away what the write has replaced. It is done whatever comes of this: what stays is found later. */
  async finish(replaced: Fields | undefined): Promise<void> {
    const owner = ownerOf(replaced);
    if (owner !== undefined) await Promise.allSettled([this.#place.chunks.remove(owner)]);
  }

  /** Takes away what was written for a write that was not done. */
  async undo({ put }: PreparedWrite): Promise<void> {
    if (put?.chunks) await Promise.allSettled([this.#place.chunks.remove(put.chunks.reference.owner)]);
  }

  /** The error for a write whose condition does not hold, with what is there now. */
  async conflict({ write, id, nowMs }: PreparedWrite): Promise<Error> {
    const found = (await this.#place.collections.records.findOne({ _id: id })) as Fields | null;
    const name = recordName(write.key);
    const version = found === null || isExpired(found, nowMs, name) ? null : String(found.version);
    return writeConflict(name, write.ifVersion ?? null, version);
  }

  async #put(
    { write, id, nowMs, ...rest }: PreparedWrite,
    document: Fields,
    session?: MongodbSession,
  ): Promise<unknown> {
    if (typeof write.ifVersion === "string") {
      const found = await this.#replace(
        { _id: id, version: write.ifVersion, ...alive(nowMs) },
        document,
        false,
        session,
      );
      if (found === null) throw new ConditionFailed({ write, id, nowMs, ...rest });
      return found;
    }
    const filter = write.ifVersion === null ? { _id: id, expiresAtMs: { $lte: nowMs } } : { _id: id };
    for (let tries = 1; ; tries++) {
      try {
        return await this.#replace(filter, document, true, session);
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        if (write.ifVersion === null) throw new ConditionFailed({ write, id, nowMs, ...rest });
        if (tries === MOST_TRIES || session !== undefined) throw busy(error);
        await systemClock.sleep(systemRandom() * tries);
      }
    }
  }

  async #delete({ write, id, nowMs, ...rest }: PreparedWrite, session?: MongodbSession): Promise<unknown> {
    const condition = write.ifVersion === undefined ? {} : { version: write.ifVersion };
    const filter = { _id: id, ...condition, ...alive(nowMs) };
    const found = await this.#selecting((options) =>
      this.#place.collections.records.findOneAndDelete(filter, { ...options, session }),
    );
    if (found === null && write.ifVersion !== undefined) throw new ConditionFailed({ write, id, nowMs, ...rest });
    return found;
  }

  #replace(filter: object, document: Fields, upsert: boolean, session: MongodbSession | undefined): Promise<unknown> {
    return this.#selecting((options) =>
      this.#place.collections.records.findOneAndReplace(filter, document, {
        ...options,
        upsert,
        returnDocument: "before",
        session,
      }),
    );
  }

  /** Asks for no more of the document before than where its chunks are, where the server can. */
  async #selecting(run: (options: object) => Promise<unknown>): Promise<unknown> {
    if (!this.#selectsFields) return run({});
    try {
      return await run({ projection: { chunks: 1 } });
    } catch (error) {
      if (!isNotImplemented(error)) throw error;
      this.#selectsFields = false;
      return run({});
    }
  }

  #timesOf(ttlMs: number | undefined, nowMs: number): RecordTimes {
    if (ttlMs === undefined) return { updatedAtMs: nowMs };
    const expiresAtMs = nowMs + ttlMs;
    // The server goes by real time, and dates end.
    const isRemoved = this.#place.clock === systemClock && expiresAtMs <= LAST_DATE_MS;
    return { updatedAtMs: nowMs, expiresAtMs, ...(isRemoved ? { removeAt: new Date(expiresAtMs) } : {}) };
  }
}

const LAST_DATE_MS = 8.64e15;

function alive(nowMs: number): object {
  return { expiresAtMs: { $not: { $lte: nowMs } } };
}

function busy(error: unknown): Error {
  return storeFailure("MongoDB store", "put", error, { retryable: true });
}
