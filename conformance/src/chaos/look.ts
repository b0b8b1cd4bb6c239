import type { JsonValue, LogRecord } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import { contentOf } from "./content.js";
import { after, headOf, type Lane, type LaneWrite, recordOf, streamOf } from "./lane.js";
import type { KeptParts } from "./look-all.js";
import { keyOf, streamName } from "./write-job.js";

/** What is there of one lane. */
interface Seen {
  readonly streams: { readonly [name: string]: SeenStream };
  readonly records: { readonly [name: string]: { readonly value: JsonValue; readonly version: string } };
}

interface SeenStream {
  readonly head: number;
  /** From this offset on it was read. */
  readonly from: number;
  readonly records: readonly LogRecord[];
}

/** A lane as it was found, and whether the write that nobody acknowledged was found done. */
export interface Looked {
  readonly lane: Lane;
  readonly kept: boolean;
}

/**
 * Looks at the streams and records of a lane: what was acknowledged is there, and the write after it whole or not at all.
 * @param since what it was when it was looked at last: streams are read from there on. Absent: all is read.
 * @throws CheckFailure that says what is not as it must be.
 */
export async function lookAt(
  backend: KeptParts,
  lane: Lane,
  underWay: LaneWrite,
  since: Lane | undefined,
): Promise<Looked> {
  const seen = await read(backend, lane, since, underWay.type === "truncate" ? underWay.stream : undefined);
  const without = problemOf(seen, lane, undefined);
  if (without === undefined) return { lane: await repeat(backend, lane, underWay, seen), kept: false };
  for (const candidate of candidates(lane, underWay, backend)) {
    if (problemOf(seen, candidate, lane) !== undefined) continue;
    const known = withVersions(candidate, seen);
    return { lane: await repeat(backend, known, underWay, seen), kept: true };
  }
  const whole = problemOf(seen, after(lane, underWay), lane);
  const what = `lane ${lane.lane}, write ${lane.next} (${underWay.type}) was not acknowledged`;
  assert(false, `${what}. Without it: ${without}. With it: ${whole}`);
}

/** Looks at all streams and records of a lane of which nothing was under way. @throws CheckFailure */
export async function lookAtQuiet(backend: KeptParts, lane: Lane): Promise<void> {
  const problem = problemOf(await read(backend, lane, undefined, undefined), lane, undefined);
  assert(problem === undefined, `lane ${lane.lane}, whose process lives: ${problem}`);
}

/** The states that a write may have left when it was stopped. */
function candidates(lane: Lane, write: LaneWrite, { store }: KeptParts): readonly Lane[] {
  if (write.type !== "batch" || store?.capabilities.atomicBatch === true) return [after(lane, write)];
  return write.steps.map((_, index) => after(lane, { type: "batch", steps: write.steps.slice(0, index + 1) }));
}

/** Appends again what was under way under a key: it must be there once, whether or not it was there before. */
async function repeat({ log }: KeptParts, lane: Lane, write: LaneWrite, seen: Seen): Promise<Lane> {
  if (log === undefined || write.type !== "append" || write.idempotencyKey === undefined) return lane;
  const found = streamOf(lane, write.stream);
  const known = Object.hasOwn(found.keys, write.idempotencyKey) ? found.keys[write.idempotencyKey] : undefined;
  const head = seen.streams[write.stream]?.head ?? 0;
  const stream = streamName(lane, write.stream);
  const { idempotencyKey } = write;
  const offset = await log.append(
    stream,
    write.ids.map((id) => contentOf(id)),
    { idempotencyKey },
  );
  assertEqual(offset, known?.offset ?? head, `repeating the append under ${JSON.stringify(idempotencyKey)}`);
  assertEqual(await log.head(stream), known === undefined ? head + write.ids.length : head, "the head after that");
  return known === undefined ? after(lane, write) : lane;
}

/** What is wrong with what is there, as the lane has it; nothing when all is right. */
function problemOf(seen: Seen, lane: Lane, before: Lane | undefined): string | undefined {
  try {
    assertEqual(Object.keys(seen.streams).sort(), Object.keys(lane.streams).sort(), "the streams");
    assertEqual(Object.keys(seen.records).sort(), Object.keys(lane.records).sort(), "the records");
    for (const [name, { head, from, records }] of Object.entries(seen.streams)) {
      const stream = streamOf(lane, name);
      const wanted = stream.ids.map((id, index) => ({ offset: stream.start + index, value: contentOf(id) }));
      assertEqual(head, headOf(stream), `the head of ${name}`);
      const read = wanted.filter(({ offset }) => offset >= from);
      assertEqual(records, read, `the records of ${name} from ${from} on`);
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

/** Reads what there is of a lane; of a stream that is being truncated all, whose start tells whether that was done. */
async function read(
  { store, log }: KeptParts,
  lane: Lane,
  since: Lane | undefined,
  truncated: string | undefined,
): Promise<Seen> {
  const streams: [string, SeenStream][] = [];
  const records: [string, Seen["records"][string]][] = [];
  const prefix = streamName(lane, "");
  for (const stream of (await log?.streams(prefix)) ?? []) {
    const name = stream.slice(prefix.length);
    const head = (await log?.head(stream)) ?? 0;
    const known = since === undefined || name === truncated ? 0 : headOf(streamOf(since, name));
    const from = known > head ? 0 : known;
    streams.push([name, { head, from, records: (await log?.read(stream, { from })) ?? [] }]);
  }
  const page = await store?.list({ prefix: keyOf(lane, "").slice(0, 1), limit: 1_000 });
  for (const { key, value, version } of page?.items ?? []) {
    records.push([key[1] ?? "", { value: value.type === "json" ? value.value : null, version }]);
    if (since !== undefined) continue;
    assertEqual((await store?.get(key))?.version, version, `the version of ${key[1]}, read alone`);
  }
  return { streams: Object.fromEntries(streams), records: Object.fromEntries(records) };
}
