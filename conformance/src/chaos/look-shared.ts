import type { AppendStore, JsonObject, LogRecord } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import { contentOf } from "./content.js";
import { headOf, type LaneStream, type LaneWrite, SHARED } from "./lane.js";

/** An append to the stream of all lanes that was acknowledged. */
export interface SharedAppend {
  readonly lane: number;
  readonly ids: readonly string[];
  readonly offset: number;
}

/** One that was under way when its process was killed. */
export interface SharedUnderWay {
  readonly lane: number;
  readonly write: Extract<LaneWrite, { readonly type: "share" }>;
}

/** More than a stream ever holds here: it is read whole. */
const ALL = 1_000_000;

/**
 * Looks at the stream of all lanes: what was acknowledged is at the offset that was told, once and in the order of its
 * lane; what was not is there whole or not at all; and nothing else is. What was there before is read where `isWhole`. Repeats what was under way under a key.
 * @returns the stream, and the lanes whose append under way was found done.
 * @throws CheckFailure that says what is not as it must be.
 */
export async function lookAtShared(
  log: AppendStore,
  before: LaneStream,
  told: readonly SharedAppend[],
  underWay: readonly SharedUnderWay[],
  isWhole: boolean,
): Promise<{ readonly shared: LaneStream; readonly kept: ReadonlySet<number> }> {
  const known = isWhole ? before.ids.length : 0;
  const start = headOf(before) - known;
  const records = await log.read(SHARED, { from: start, limit: ALL });
  const head = await log.head(SHARED);
  const found = underWay.flatMap(({ lane, write: { ids } }) => {
    const at = records.find(({ value }) => idOf(value) === ids[0]);
    return at === undefined ? [] : [{ lane, ids, offset: at.offset }];
  });
  const all = [...told, ...found];
  assertInOrder(all);
  const added = placed({ ...before, start, ids: known === 0 ? [] : before.ids }, all, records);
  let shared: LaneStream = { ...before, ids: [...before.ids.slice(known), ...added] };
  assertEqual(head, headOf(shared), `the head of ${SHARED}`);
  for (const { lane, write } of underWay) {
    const { ids, idempotencyKey } = write;
    if (idempotencyKey === undefined) continue;
    const wanted = found.find((one) => one.lane === lane)?.offset ?? headOf(shared);
    const offset = await log.append(
      SHARED,
      ids.map((id) => contentOf(id)),
      { idempotencyKey },
    );
    assertEqual(offset, wanted, `repeating the append of lane ${lane} to ${SHARED}`);
    if (wanted === headOf(shared)) shared = { ...shared, ids: [...shared.ids, ...ids] };
    assertEqual(await log.head(SHARED), headOf(shared), `the head of ${SHARED} after that`);
  }
  return { shared, kept: new Set(found.map(({ lane }) => lane)) };
}

/** What each lane was told rises, and so do the places of what it had under way. */
function assertInOrder(all: readonly SharedAppend[]): void {
  const last = new Map<number, number>();
  for (const { lane, offset } of all) {
    const earlier = last.get(lane);
    assert(
      earlier === undefined || offset > earlier,
      `lane ${lane} appended at ${earlier} in ${SHARED}, and then at ${offset}`,
    );
    last.set(lane, offset);
  }
}

/** What is in the stream, when each append is at its place and every place is somebody's. */
function placed(
  { start, ids: known }: LaneStream,
  appends: readonly SharedAppend[],
  records: readonly LogRecord[],
): readonly string[] {
  const ids: (string | undefined)[] = [...known];
  for (const { lane, ids: added, offset } of appends) {
    for (const [index, id] of added.entries()) {
      const at = offset - start + index;
      assert(ids[at] === undefined, `lane ${lane} was told an offset of ${SHARED} that is taken: ${offset + index}`);
      ids[at] = id;
    }
  }
  const length = Math.max(ids.length, records.length);
  return Array.from({ length }, (_, at) => {
    const [id, record] = [ids[at], records[at]];
    const where = `offset ${start + at} of ${SHARED}`;
    assert(record !== undefined, `${where}: ${id} is not there, though its append was done, or was found half done`);
    assert(id !== undefined, `${where}: ${idOf(record.value)} is there, and nobody was told so`);
    assertEqual(record, { offset: start + at, value: contentOf(id) }, where);
    return id;
  });
}

function idOf(value: unknown): unknown {
  return (value as JsonObject | null)?.id;
}
