import { writeSync } from "node:fs";
import type { AppendStore, JsonValue, Store } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { ACKNOWLEDGED_FD } from "../process/messages.js";
import {
  after,
  contentOf,
  headOf,
  type Lane,
  type LaneWrite,
  nextWrite,
  type Parts,
  SHARED,
  streamOf,
} from "./lane.js";

/** What a writer says of a write that is done, as a line of JSON, before it begins the next one of that lane. */
export interface Acknowledged {
  readonly lane: number;
  /** The number of the write in its lane. */
  readonly n: number;
  /** Versions of the records that were put. */
  readonly versions: readonly (string | null)[];
  /** Of an append to the stream of all lanes: the offset that it was given. */
  readonly offset?: number;
}

interface Backend {
  readonly store?: Store;
  readonly log?: AppendStore;
}

/** What a write gave. */
interface Outcome {
  readonly versions: readonly (string | undefined)[];
  readonly offset?: number;
}

/** Writes in all lanes at once until the process is killed. */
export async function writeUntilKilled(
  handle: Backend,
  lanes: readonly Lane[],
  seed: number,
  parts: Parts,
): Promise<never> {
  const acknowledge = (done: Acknowledged): void => {
    writeSync(ACKNOWLEDGED_FD, `${JSON.stringify(done)}\n`);
  };
  await Promise.all(lanes.map((lane) => writeIn(handle, lane, { seed, parts, acknowledge, goesOn: () => true })));
  throw new CheckFailure("a writer has come to an end");
}

/** A process that nobody kills writes no more than this in each lane before it is told to stop: others take their time. */
const MOST_BESIDE = 30;

/** What ends the writers of a process that nobody kills. */
const stopping = new WeakMap<Backend, () => void>();

/**
 * Writes in all lanes at once until {@link stopWriting}, and then once more in each: whatever has become of others
 * meanwhile, this process gets on. Gives what was done, in the order of each lane.
 */
export async function writeUntilStopped(
  handle: Backend,
  lanes: readonly Lane[],
  seed: number,
  parts: Parts,
): Promise<readonly Acknowledged[]> {
  const done: Acknowledged[] = [];
  let isStopped = false;
  const stopped = new Promise<void>((resolve) => {
    stopping.set(handle, () => {
      isStopped = true;
      resolve();
    });
  });
  const acknowledge = (one: Acknowledged): void => {
    done.push(one);
  };
  await Promise.all(
    lanes.map((lane) => {
      let isLast = false;
      let begun = 0;
      const goesOn = async (): Promise<boolean> => {
        if (isLast) return false;
        if (++begun > MOST_BESIDE) await stopped;
        isLast = isStopped;
        return true;
      };
      return writeIn(handle, lane, { seed, parts, acknowledge, goesOn });
    }),
  );
  return done;
}

export function stopWriting(handle: Backend): void {
  stopping.get(handle)?.();
}

interface Writing {
  readonly seed: number;
  readonly parts: Parts;
  acknowledge(done: Acknowledged): void;
  goesOn(): boolean | Promise<boolean>;
}

async function writeIn(handle: Backend, first: Lane, { seed, parts, acknowledge, goesOn }: Writing): Promise<void> {
  for (let lane = first; await goesOn(); ) {
    const write = nextWrite(lane, seed, parts);
    const { versions, ...rest } = await perform(handle, lane, write);
    acknowledge({ lane: lane.lane, n: lane.next, versions: versions.map((one) => one ?? null), ...rest });
    lane = after(lane, write, versions);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Does one write. @throws CheckFailure for an outcome that is wrong. */
async function perform({ store, log }: Backend, lane: Lane, write: LaneWrite): Promise<Outcome> {
  if (write.type === "share") {
    const { ids, idempotencyKey } = write;
    return { versions: [], offset: await (log as AppendStore).append(SHARED, ids.map(contentOf), { idempotencyKey }) };
  }
  if (write.type === "append" || write.type === "truncate" || write.type === "drop") {
    await performOnLog(log as AppendStore, lane, write);
    return { versions: [] };
  }
  return { versions: await performOnStore(store as Store, lane, write) };
}

type StoreWrite = Extract<LaneWrite, { readonly type: "put" | "batch" | "remove" }>;

/** Gives the versions of the records that were put. */
async function performOnStore(store: Store, lane: Lane, write: StoreWrite): Promise<readonly (string | undefined)[]> {
  if (write.type === "put")
    return [await store.put(keyOf(lane, write.name), jsonOf(write.id), { ifVersion: write.ifVersion })];
  if (write.type === "batch")
    return store.batch(
      write.steps.map(({ name, id }) =>
        id === undefined
          ? { type: "delete", key: keyOf(lane, name) }
          : { type: "put", key: keyOf(lane, name), value: jsonOf(id) },
      ),
    );
  told("deleting a record", await store.delete(keyOf(lane, write.name)), true);
  return [];
}

type LogWrite = Extract<LaneWrite, { readonly stream: string }>;

async function performOnLog(log: AppendStore, lane: Lane, write: LogWrite): Promise<void> {
  const stream = streamName(lane, write.stream);
  if (write.type === "truncate") return log.truncate(stream, { before: write.before });
  if (write.type === "drop") return told("deleting a stream", await log.delete(stream), true);
  const found = streamOf(lane, write.stream);
  const { ids, type: _, stream: __, ...terms } = write;
  const known = terms.idempotencyKey === undefined ? undefined : found.keys[terms.idempotencyKey];
  told("appending", await log.append(stream, ids.map(contentOf), terms), known?.offset ?? headOf(found));
}

function told(what: string, outcome: JsonValue, expected: JsonValue): void {
  if (outcome !== expected) throw new CheckFailure(`${what} gave ${outcome}; ${expected} is expected`);
}

export function keyOf({ lane }: Lane, name: string): readonly string[] {
  return [`lane ${lane}`, name];
}

export function streamName({ lane }: Lane, name: string): string {
  return `lane ${lane}/${name}`;
}

function jsonOf(id: string): { readonly type: "json"; readonly value: JsonValue } {
  return { type: "json", value: contentOf(id) };
}
