import {
  type CheckedWrite,
  invalidArgument,
  isTinyAgentsError,
  readBatch,
  readDelete,
  readPut,
  readStoreKey,
  type Store,
  type StoreCapabilities,
  type StoreGate,
  type StoreVersion,
  throwIfAborted,
} from "@tinyagents/core";
import { call } from "./call.js";
import type { Fields, MongodbSession } from "./driver.js";
import { idOfKey } from "./fields.js";
import { getRecord, listPage } from "./keyed-reads.js";
import { ConditionFailed, KeyedWrites, type PreparedWrite } from "./keyed-writes.js";
import type { Place } from "./place.js";
import { attributeEntries } from "./record-document.js";

/** A document has 16 MiB at most, and its body up to 14: what else is in it is checked before anything is written. */
const MOST_FACT_BYTES = 1024 * 1024;

/** Keyed records of a place, behind a gate. */
export function storeBehind(gate: StoreGate, place: Place): Store {
  const capabilities: StoreCapabilities = {
    durable: true,
    atomicBatch: place.transactions,
    multiProcess: true,
    ttl: true,
  };
  const writes = new KeyedWrites(place);

  /** One write, whole. Gives the document that it replaced. */
  const write = async (
    checked: CheckedWrite,
    signal: AbortSignal | undefined,
  ): Promise<[PreparedWrite, Fields | undefined]> => {
    const prepared = await writes.prepare(checked, signal);
    try {
      throwIfAborted(signal);
      const replaced = await writes.apply(prepared);
      await writes.finish(replaced);
      return [prepared, replaced];
    } catch (error) {
      throw await failed(error, [prepared]);
    }
  };

  /** What is ours was decided before anything was done; of what the driver throws nobody knows, so that nothing is undone. */
  const failed = async (error: unknown, prepared: readonly PreparedWrite[]): Promise<unknown> => {
    const isCondition = error instanceof ConditionFailed;
    if (isCondition || isTinyAgentsError(error)) for (const one of prepared) await writes.undo(one);
    return isCondition ? writes.conflict(error.prepared) : error;
  };

  const inTransaction = async (
    checked: readonly CheckedWrite[],
    signal: AbortSignal | undefined,
  ): Promise<readonly PreparedWrite[]> => {
    const prepared: PreparedWrite[] = [];
    try {
      for (const one of checked) prepared.push(await writes.prepare(one, signal));
      throwIfAborted(signal);
      const replaced = await transaction(place, (session) => applyAll(writes, prepared, session));
      for (const one of replaced) await writes.finish(one);
    } catch (error) {
      throw await failed(error, prepared);
    }
    return prepared;
  };

  return {
    capabilities,
    get: (key, options) =>
      call(gate, "get", options, async () => getRecord(place, idOfKey(readStoreKey(key)), options?.signal)),
    put: (key, value, options) =>
      call(gate, "put", options, async () => {
        const [{ put }] = await write(bounded(readPut(key, value, options, capabilities)), options?.signal);
        return put?.version as StoreVersion;
      }),
    delete: (key, options) =>
      call(gate, "delete", options, async () => {
        const [, replaced] = await write(bounded(readDelete(key, options)), options?.signal);
        return replaced !== undefined;
      }),
    list: (query, options) => call(gate, "list", options, async () => listPage(place, query, options?.signal)),
    batch: (operations, options) =>
      call(gate, "batch", options, async () => {
        const checked = readBatch(operations, capabilities).map(bounded);
        const done: PreparedWrite[] = [];
        if (place.transactions) done.push(...(await inTransaction(checked, options?.signal)));
        else for (const one of checked) done.push((await write(one, options?.signal))[0]);
        return done.map(({ put }) => put?.version);
      }),
  };
}

/** All writes in order. The server may run it again, from the start. */
async function applyAll(
  writes: KeyedWrites,
  prepared: readonly PreparedWrite[],
  session: MongodbSession,
): Promise<readonly (Fields | undefined)[]> {
  const replaced: (Fields | undefined)[] = [];
  for (const one of prepared) replaced.push(await writes.apply(one, session));
  return replaced;
}

async function transaction<T>(place: Place, work: (session: MongodbSession) => Promise<T>): Promise<T> {
  const session = place.db.client.startSession();
  try {
    return await session.withTransaction(() => work(session), {
      readPreference: "primary",
      readConcern: { level: "snapshot" },
      writeConcern: { w: "majority", journal: true },
    });
  } finally {
    await session.endSession();
  }
}

/** @throws `invalid_request` for what would make the document too large whatever its body is. */
function bounded<Write extends CheckedWrite>(write: Write): Write {
  const keyBytes = idOfKey(write.key).length;
  const entries = write.type === "put" ? attributeEntries(write.attributes) : [];
  const attributeBytes = entries.reduce((sum, entry) => sum + Buffer.byteLength(entry), 0);
  if (keyBytes + attributeBytes <= MOST_FACT_BYTES) return write;
  const found = `the key takes ${keyBytes} bytes and the attributes ${attributeBytes}`;
  throw invalidArgument("key", `${found}; together they may take ${MOST_FACT_BYTES}. Put what is long into the value`);
}
