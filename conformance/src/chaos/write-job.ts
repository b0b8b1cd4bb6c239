import { writeSync } from "node:fs";
import type { AppendStore, JsonValue, Store } from "@tinyagents/core";
import { CheckFailure } from "../assert.js";
import { ACKNOWLEDGED_FD } from "../process/messages.js";
import { after, contentOf, headOf, type Lane, type LaneWrite, nextWrite, type Parts, streamOf } from "./lane.js";

/** What a writer says of a write that is done, as a line of JSON, before it begins the next one of that lane. */
export interface Acknowledged {
  readonly lane: number;
  /** The number of the write in its lane. */
  readonly n: number;
  /** Versions of the records that were put. */
  readonly versions: readonly (string | null)[];
}

/** Writes in all lanes at once until the process is killed. */
export async function writeUntilKilled(
  handle: { readonly store?: Store; readonly log?: AppendStore },
  lanes: readonly Lane[],
  seed: number,
  parts: Parts,
): Promise<never> {
  const writing = lanes.map(async (first): Promise<never> => {
    for (let lane = first; ; ) {
      const write = nextWrite(lane, seed, parts);
      const versions = await perform(handle, lane, write);
      const line: Acknowledged = { lane: lane.lane, n: lane.next, versions: versions.map((one) => one ?? null) };
      writeSync(ACKNOWLEDGED_FD, `${JSON.stringify(line)}\n`);
      lane = after(lane, write, versions);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  return Promise.race(writing);
}

/** Does one write. Gives the versions of the records that were put. @throws CheckFailure for an outcome that is wrong. */
async function perform(
  { store, log }: { readonly store?: Store; readonly log?: AppendStore },
  lane: Lane,
  write: LaneWrite,
): Promise<readonly (string | undefined)[]> {
  if (write.type === "append" || write.type === "truncate" || write.type === "drop") {
    await performOnLog(log as AppendStore, lane, write);
    return [];
  }
  const kept = store as Store;
  if (write.type === "put")
    return [await kept.put(keyOf(lane, write.name), jsonOf(write.id), { ifVersion: write.ifVersion })];
  if (write.type === "batch")
    return kept.batch(
      write.steps.map(({ name, id }) =>
        id === undefined
          ? { type: "delete", key: keyOf(lane, name) }
          : { type: "put", key: keyOf(lane, name), value: jsonOf(id) },
      ),
    );
  told("deleting a record", await kept.delete(keyOf(lane, write.name)), true);
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
