import type { AppendStore, JsonValue, LogRecord, Store } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import { after, contentOf, headOf, type Lane, type LaneWrite, type Parts, recordOf, streamOf } from "./lane.js";
import { keyOf, streamName } from "./write-job.js";

/** What is there of one lane. */
interface Seen {
  readonly streams: { readonly [name: string]: { readonly head: number; readonly records: readonly LogRecord[] } };
  readonly records: { readonly [name: string]: { readonly value: JsonValue; readonly version: string } };
}

interface Backend {
  readonly store?: Store;
  readonly log?: AppendStore;
}

/** A lane as it was found, and what had become of the write that nobody acknowledged. */
export interface Looked {
  readonly lane: Lane;
  readonly unacknowledged: "kept" | "gone";
}

/**
 * Looks at everything a lane has written: what was acknowledged is there, and the write after it whole or not at all.
 * @throws CheckFailure that says what is not as it must be.
 */
export async function lookAt(backend: Backend, lane: Lane, underWay: LaneWrite, parts: Parts): Promise<Looked> {
  const seen = await read(backend, lane, parts);
  const without = problemOf(seen, lane, undefined);
  if (without === undefined) return { lane: await repeat(backend, lane, underWay, seen), unacknowledged: "gone" };
  for (const candidate of candidates(lane, underWay, backend)) {
    if (problemOf(seen, candidate, lane) !== undefined) continue;
    const known = withVersions(candidate, seen);
    return { lane: await repeat(backend, known, underWay, seen), unacknowledged: "kept" };
  }
  const whole = problemOf(seen, after(lane, underWay), lane);
  const what = `lane ${lane.lane}, write ${lane.next} (${underWay.type}) was not acknowledged`;
  assert(false, `${what}. Without it: ${without}. With it: ${whole}`);
}

/** Looks at everything a lane has written, of which nothing was under way. @throws CheckFailure */
export async function lookAtQuiet(backend: Backend, lane: Lane, parts: Parts): Promise<void> {
  const problem = problemOf(await read(backend, lane, parts), lane, undefined);
  assert(problem === undefined, `lane ${lane.lane}, whose process lives: ${problem}`);
}

/** The states that a write may have left when it was stopped. */
function candidates(lane: Lane, write: LaneWrite, { store }: Backend): readonly Lane[] {
  if (write.type !== "batch" || store?.capabilities.atomicBatch === true) return [after(lane, write)];
  return write.steps.map((_, index) => after(lane, { type: "batch", steps: write.steps.slice(0, index + 1) }));
}

/** Appends again what was under way under a key: it must be there once, whether or not it was there before. */
async function repeat({ log }: Backend, lane: Lane, write: LaneWrite, seen: Seen): Promise<Lane> {
  if (log === undefined || write.type !== "append" || write.idempotencyKey === undefined) return lane;
  const found = streamOf(lane, write.stream);
  const known = Object.hasOwn(found.keys, write.idempotencyKey) ? found.keys[write.idempotencyKey] : undefined;
  const head = seen.streams[write.stream]?.head ?? 0;
  const stream = streamName(lane, write.stream);
  const { idempotencyKey } = write;
  const offset = await log.append(stream, write.ids.map(contentOf), { idempotencyKey });
  assertEqual(offset, known?.offset ?? head, `repeating the append under ${JSON.stringify(idempotencyKey)}`);
  assertEqual(await log.head(stream), known === undefined ? head + write.ids.length : head, "the head after that");
  return known === undefined ? after(lane, write) : lane;
}

/** What is wrong with what is there, as the lane has it; nothing when all is right. */
function problemOf(seen: Seen, lane: Lane, before: Lane | undefined): string | undefined {
  try {
    assertEqual(Object.keys(seen.streams).sort(), Object.keys(lane.streams).sort(), "the streams");
    assertEqual(Object.keys(seen.records).sort(), Object.keys(lane.records).sort(), "the records");
    for (const [name, { head, records }] of Object.entries(seen.streams)) {
      const stream = streamOf(lane, name);
      const wanted = stream.ids.map((id, index) => ({ offset: stream.start + index, value: contentOf(id) }));
      assertEqual(head, headOf(stream), `the head of ${name}`);
      assertEqual(records, wanted, `the records of ${name}`);
    }
    for (const [name, { value, version }] of Object.entries(seen.records)) {
      const record = recordOf(lane, name);
      assertEqual(value, contentOf(record?.id ?? ""), `the record ${name}`);
      if (record?.version !== "") assertEqual(version, record?.version, `the version of ${name}`);
      else assert(version !== (before && recordOf(before, name)?.version), `${name} has a version that it had before`);
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function withVersions(lane: Lane, { records }: Seen): Lane {
  const known = Object.entries(lane.records).map(([name, { id }]) => [
    name,
    { id, version: Object.entries(records).find(([each]) => each === name)?.[1].version ?? "" },
  ]);
  return { ...lane, records: Object.fromEntries(known) };
}

async function read({ store, log }: Backend, lane: Lane, parts: Parts): Promise<Seen> {
  const streams: [string, Seen["streams"][string]][] = [];
  const records: [string, Seen["records"][string]][] = [];
  const prefix = streamName(lane, "");
  for (const name of parts.log ? ((await log?.streams(prefix)) ?? []) : []) {
    const head = (await log?.head(name)) ?? 0;
    streams.push([name.slice(prefix.length), { head, records: (await log?.read(name)) ?? [] }]);
  }
  const page = parts.store ? await store?.list({ prefix: keyOf(lane, "").slice(0, 1), limit: 1_000 }) : undefined;
  for (const { key, value, version } of page?.items ?? []) {
    records.push([key[1] ?? "", { value: value.type === "json" ? value.value : null, version }]);
    assertEqual((await store?.get(key))?.version, version, `the version of ${key[1]}, read alone`);
  }
  return { streams: Object.fromEntries(streams), records: Object.fromEntries(records) };
}
