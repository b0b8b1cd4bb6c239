import type { JsonValue, StoreKey } from "@tinyagents/core";

/** What stands between the name of an order and the id in the key of an entry: it says which records it is beside, and where. */
export type OrderParts = readonly string[];

/** Records of one kind, and the orders in which they are found. */
export interface RecordKind<T> {
  /** What a record is, for errors: `status of run`. */
  readonly name: string;
  /** The names before all keys of this kind. */
  readonly prefix: StoreKey;
  /** A record that was read from a store. @throws `corrupt_data`, `version_mismatch` */
  read(value: JsonValue, place: string): T;
  /**
   * For each order where it has the record: nothing where it has it not. Names must not be empty; where time orders, it is
   * {@link timeName}. Pure: it is asked again about stored records.
   */
  readonly orders: { readonly [order: string]: (record: T) => OrderParts | undefined };
}

/** How errors name a record. */
export function placeOf({ name }: Pick<RecordKind<never>, "name">, id: string): string {
  return `${name} ${JSON.stringify(id)}`;
}

/** Digits of the largest safe integer. */
const DIGITS = 16;

/** A time, ms since 1970, as a name that orders as times do. Times before 1970 and parts of a ms are not told apart. */
export function timeName(timeMs: number): string {
  const whole = Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(timeMs)));
  return String(whole).padStart(DIGITS, "0");
}
