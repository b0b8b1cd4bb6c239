import type { Connection } from "./connection.js";
import { entryIdSql, MAX_OFFSET } from "./entry-id.js";
import type { Tables } from "./schema.js";

/** So many records are taken away in one transaction: others get the lock, and the process its turn, in between. */
const RECORDS_AT_ONCE = 2_000;

/** Takes away what is in no stream any more. Nobody sees it; a sweep that is stopped goes on with the next. */
export interface EntrySweeper {
  /** Records before a stream's start. */
  truncated(stream: number, signal: AbortSignal | undefined): Promise<void>;
  /** All that is left of streams that were deleted. */
  dropped(signal: AbortSignal | undefined): Promise<void>;
}

export function entrySweeper(connection: Connection, { streams, entries, appendKeys }: Tables): EntrySweeper {
  const { prepare } = connection;
  const removeBefore = prepare(
    `delete from ${entries} where id in (select e.id from ${streams} s cross join ${entries} e
      on e.id >= ${entryIdSql("s.id", "0")} and e.id < ${entryIdSql("s.id", "s.start")}
      where s.id = ? order by e.id limit ${RECORDS_AT_ONCE})`,
  );
  const findDropped = prepare(`select id from ${streams} where name is null limit 1`);
  const removeRecords = prepare(
    `delete from ${entries} where id in (select id from ${entries}
      where id between ${entryIdSql("?", "0")} and ${entryIdSql("?", `${MAX_OFFSET}`)} order by id limit ${RECORDS_AT_ONCE})`,
  );
  const removeKeys = prepare(
    `delete from ${appendKeys} where stream = ? and key in (select key from ${appendKeys} where stream = ? limit ${RECORDS_AT_ONCE})`,
  );
  const removeStream = prepare(`delete from ${streams} where id = ?`);

  const repeat = async (signal: AbortSignal | undefined, remove: () => boolean): Promise<void> => {
    while (await connection.write(remove, signal));
  };
  /** Whether there may be more. */
  const removeDropped = (): boolean => {
    const id = findDropped.get()?.id;
    if (id === undefined) return false;
    const removed = Number(removeRecords.run(id, id).changes) + Number(removeKeys.run(id, id).changes);
    if (removed === 0) removeStream.run(id);
    return true;
  };
  return {
    truncated: (stream, signal) => repeat(signal, () => Number(removeBefore.run(stream).changes) === RECORDS_AT_ONCE),
    dropped: (signal) => repeat(signal, removeDropped),
  };
}
