/**
 * Records of all streams are in one table whose row id is the stream's id, shifted, and the offset: one tree of pages is
 * written where a table with a key of its own would have two, and a stream's records lie side by side.
 */
const OFFSET_BITS = 32;

/** The last offset that a stream can have. */
export const MAX_OFFSET: number = 2 ** OFFSET_BITS - 1;
/** The last stream: row ids have 63 bits. */
export const MAX_STREAM: number = 2 ** (63 - OFFSET_BITS) - 1;

/**
 * The row id of a record, in SQL. Offsets beyond {@link MAX_OFFSET} would be those of other streams. `| 0` makes whole numbers
 * of parameters, which bindings hand over as floating-point numbers.
 */
export function entryIdSql(stream: string, offset: string): string {
  return `((${stream} << ${OFFSET_BITS}) + (${offset} | 0))`;
}

/** The offset of a record, in SQL. */
export function offsetSql(id: string): string {
  return `(${id} & ${MAX_OFFSET})`;
}
