import { type Chance, chance } from "../store/chance.js";
import { type LaneThread, NO_THREAD, type ThreadWrite, threadAfter, threadWrite } from "./lane-thread.js";

/** What is known of one writer's own streams, records and checkpoints. All data: it crosses processes. */
export interface Lane {
  readonly lane: number;
  /** How many writes it has begun: the number of the next one. */
  readonly next: number;
  readonly streams: { readonly [name: string]: LaneStream };
  /** By the last name of their key. */
  readonly records: { readonly [name: string]: LaneRecord };
  readonly thread: LaneThread;
}

export interface LaneStream {
  /** The offset of the first record that is kept. */
  readonly start: number;
  /** What its values are made of, see `contentOf`. */
  readonly ids: readonly string[];
  readonly keys: { readonly [idempotencyKey: string]: { readonly offset: number; readonly ids: readonly string[] } };
}

export interface LaneRecord {
  readonly id: string;
  readonly version: string;
}

/** One write. */
export type LaneWrite =
  | {
      readonly type: "append";
      readonly stream: string;
      readonly ids: readonly string[];
      readonly expectedOffset?: number;
      readonly idempotencyKey?: string;
    }
  /** An append to the one stream that all lanes have. */
  | { readonly type: "share"; readonly ids: readonly string[]; readonly idempotencyKey?: string }
  | { readonly type: "truncate"; readonly stream: string; readonly before: number }
  | { readonly type: "drop"; readonly stream: string }
  | { readonly type: "put"; readonly name: string; readonly id: string; readonly ifVersion: string | null }
  | { readonly type: "remove"; readonly name: string }
  | { readonly type: "batch"; readonly steps: readonly BatchStep[] }
  | ThreadWrite;

interface BatchStep {
  readonly name: string;
  /** Absent: the record is taken away. */
  readonly id?: string;
}

/** What there is to write to. */
export interface Parts {
  readonly store: boolean;
  readonly log: boolean;
  readonly checkpoints: boolean;
}

/** How each part is written to. */
const WRITES: { readonly [P in keyof Parts]: (lane: Lane, by: Chance, id: string) => LaneWrite } = {
  store: storeWrite,
  log: logWrite,
  checkpoints: ({ thread }, by, id) => threadWrite(thread, by, id),
};

export const EMPTY: LaneStream = { start: 0, ids: [], keys: {} };
const STREAMS = ["a", "b/%", "__proto__"];
/** The stream of all lanes. No lane's own begins like this. */
export const SHARED = "shared";
const NAMES = ["one", "two/*", "constructor", "four"];

/** Streams with more records are truncated, those with more keys taken away, so that long runs stay fast. */
const MOST_RECORDS = 60;
const MOST_KEYS = 20;

export function newLane(lane: number): Lane {
  return { lane, next: 0, streams: {}, records: {}, thread: NO_THREAD };
}

export function streamOf({ streams }: Lane, name: string): LaneStream {
  return Object.hasOwn(streams, name) ? (streams[name] as LaneStream) : EMPTY;
}

export function recordOf({ records }: Lane, name: string): LaneRecord | undefined {
  return Object.hasOwn(records, name) ? records[name] : undefined;
}

export function headOf({ start, ids }: LaneStream): number {
  return start + ids.length;
}

/** The next write of a lane: the same for the same seed and lane, in whatever process. */
export function nextWrite(lane: Lane, seed: number, parts: Parts): LaneWrite {
  const by = chance(seed * 1_009 + lane.lane * 7_919 + lane.next * 31);
  for (let warm = 0; warm < 4; warm++) by.below(2);
  const part = by.pick((Object.keys(WRITES) as (keyof Parts)[]).filter((name) => parts[name]));
  return WRITES[part](lane, by, `${lane.lane}.${lane.next}`);
}

function logWrite(lane: Lane, by: Chance, id: string): LaneWrite {
  const more = (): readonly string[] => Array.from({ length: 1 + by.below(5) }, (_, index) => `${id}.${index}`);
  const key = (): { idempotencyKey?: string } => (by.onceIn(3) ? { idempotencyKey: `key ${id}` } : {});
  if (by.onceIn(4)) return { type: "share", ids: more(), ...key() };
  const stream = by.pick(STREAMS);
  const found = streamOf(lane, stream);
  const keys = Object.keys(found.keys);
  if (keys.length > MOST_KEYS || (headOf(found) > 0 && by.onceIn(40))) return { type: "drop", stream };
  if (found.ids.length > MOST_RECORDS || (headOf(found) > 0 && by.onceIn(20)))
    return { type: "truncate", stream, before: found.start + by.below(found.ids.length + 1) };
  const known = keys.length > 0 && by.onceIn(8) ? by.pick(keys) : undefined;
  if (known !== undefined) return { type: "append", stream, ids: found.keys[known]?.ids ?? [], idempotencyKey: known };
  const ids = more();
  const expectedOffset = by.onceIn(2) ? { expectedOffset: headOf(found) } : {};
  return { type: "append", stream, ids, ...expectedOffset, ...key() };
}

function storeWrite(lane: Lane, by: Chance, id: string): LaneWrite {
  const name = by.pick(NAMES);
  if (by.onceIn(3)) {
    const steps = NAMES.map((each, index) => (by.onceIn(4) ? { name: each } : { name: each, id: `${id}.${index}` }));
    return { type: "batch", steps };
  }
  const found = recordOf(lane, name);
  if (found !== undefined && by.onceIn(4)) return { type: "remove", name };
  return { type: "put", name, id: `${id}.0`, ifVersion: found?.version ?? null };
}

/**
 * A lane after a write.
 * @param versions of the records that were put, in order; where one is missing, it is not known yet: `""`.
 */
export function after(lane: Lane, write: LaneWrite, versions: readonly (string | null)[] = []): Lane {
  const begun = { ...lane, next: lane.next + 1 };
  switch (write.type) {
    case "append": {
      const found = streamOf(lane, write.stream);
      const { idempotencyKey, ids } = write;
      if (idempotencyKey !== undefined && Object.hasOwn(found.keys, idempotencyKey)) return begun;
      const added = idempotencyKey === undefined ? [] : [[idempotencyKey, { offset: headOf(found), ids }] as const];
      const keys = Object.fromEntries([...Object.entries(found.keys), ...added]);
      return withStream(begun, write.stream, { ...found, ids: [...found.ids, ...ids], keys });
    }
    case "share":
      return begun;
    case "truncate": {
      const found = streamOf(lane, write.stream);
      const dropped = Math.max(0, write.before - found.start);
      return withStream(begun, write.stream, { ...found, start: found.start + dropped, ids: found.ids.slice(dropped) });
    }
    case "drop":
      return withStream(begun, write.stream, undefined);
    case "put":
      return withRecord(begun, write.name, { id: write.id, version: versions[0] ?? "" });
    case "remove":
      return withRecord(begun, write.name, undefined);
    case "batch":
      return write.steps.reduce(
        (made, { name, id }, index) =>
          withRecord(made, name, id === undefined ? undefined : { id, version: versions[index] ?? "" }),
        begun,
      );
    default:
      return { ...begun, thread: threadAfter(lane.thread, write) };
  }
}

function withStream(lane: Lane, name: string, stream: LaneStream | undefined): Lane {
  return { ...lane, streams: withEntry(lane.streams, name, stream) };
}

function withRecord(lane: Lane, name: string, record: LaneRecord | undefined): Lane {
  return { ...lane, records: withEntry(lane.records, name, record) };
}

/** An object with an entry, or without it. No name means anything, `__proto__` neither. */
function withEntry<T>(
  object: { readonly [name: string]: T },
  name: string,
  value: T | undefined,
): { [name: string]: T } {
  const others = Object.entries(object).filter(([each]) => each !== name);
  return Object.fromEntries(value === undefined ? others : [...others, [name, value]]);
}
