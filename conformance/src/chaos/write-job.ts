import { writeSync } from "node:fs";
import type { AppendStore, CheckpointStore, JsonValue, Store } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { ACKNOWLEDGED_FD } from "../process/messages.js";
import { contentOf } from "./content.js";
import { after, headOf, type Lane, type LaneWrite, nextWrite, type Parts, SHARED, streamOf } from "./lane.js";
import { performOnThread } from "./write-thread.js";

/** What a write gave. */
interface Outcome {
  /** Versions of the records that were put; `null` where there is none. */
  readonly versions?: readonly (string | null)[];
  /** Of an append to the stream of all lanes: the offset that it was given. */
  readonly offset?: number;
  /** Of a move of the thread of all lanes: the checkpoint that it was moved on from. */
  readonly parentId?: string | null;
}

/** What a writer says of a write that is done, as a line of JSON, before it begins the next one of that lane. */
export interface Acknowledged extends Outcome {
  readonly lane: number;
  /** The number of the write in its lane. */
  readonly n: number;
  /** What one of several tasks left is kept. The write is not done by that. */
  readonly taskId?: string;
}

interface Backend {
  readonly store?: Store;
  readonly log?: AppendStore;
  readonly checkpoints?: CheckpointStore;
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
    const done = { lane: lane.lane, n: lane.next };
    const outcome = await perform(handle, lane, write, (taskId) => acknowledge({ ...done, taskId }));
    acknowledge({ ...done, ...outcome });
    lane = after(lane, write, outcome.versions);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Does one write. `onTask` is told of each task that has left what it left. @throws CheckFailure for an outcome that is wrong. */
async function perform(
  { store, log, checkpoints }: Backend,
  lane: Lane,
  write: LaneWrite,
  onTask: (taskId: string) => void,
): Promise<Outcome> {
  switch (write.type) {
    case "share": {
      const { ids, idempotencyKey } = write;
      return {
        offset: await (log as AppendStore).append(
          SHARED,
          ids.map((id) => contentOf(id)),
          { idempotencyKey },
        ),
      };
    }
    case "append":
    case "truncate":
    case "drop":
      await performOnLog(log as AppendStore, lane, write);
      return {};
    case "put":
    case "batch":
    case "remove": {
      const versions = await performOnStore(store as Store, lane, write);
      return { versions: versions.map((version) => version ?? null) };
    }
    default: {
      const parentId = await performOnThread(checkpoints as CheckpointStore, lane, write, onTask);
      return parentId === undefined ? {} : { parentId };
    }
  }
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
  told(
    "appending",
    await log.append(
      stream,
      ids.map((id) => contentOf(id)),
      terms,
    ),
    known?.offset ?? headOf(found),
  );
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
