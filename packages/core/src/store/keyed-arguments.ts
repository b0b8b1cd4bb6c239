import type { StoreCapabilities } from "./capabilities.js";
import { readKeyPrefix, readStoreKey, storeKeyText } from "./key.js";
import { checkFields, readOrder, readWholeNumber } from "./read-fields.js";
import { invalidArgument } from "./refuse.js";
import type {
  DeleteOptions,
  ListQuery,
  PutOptions,
  StoreAttributes,
  StoreKey,
  StoreOperation,
  StoreValue,
  StoreVersion,
} from "./store.js";
import { copyAttributes, copyStoreValue } from "./stored-value.js";

/** A put whose arguments are checked and copied. */
export interface CheckedPut {
  readonly type: "put";
  readonly key: StoreKey;
  readonly value: StoreValue;
  readonly attributes: StoreAttributes;
  /** `null`: there must be no record. Absent: whatever there is. */
  readonly ifVersion?: StoreVersion | null;
  readonly ttlMs?: number;
}

/** A delete whose arguments are checked and copied. */
export interface CheckedDelete {
  readonly type: "delete";
  readonly key: StoreKey;
  readonly ifVersion?: StoreVersion;
}

/** One write whose arguments are checked and copied. */
export type CheckedWrite = CheckedPut | CheckedDelete;

/** A listing whose arguments are checked and copied. */
export interface CheckedListQuery {
  readonly prefix: StoreKey;
  readonly where: StoreAttributes;
  readonly descending: boolean;
  readonly limit: number;
  /** Only what comes after this key, in the order that is asked for. */
  readonly after?: StoreKey;
}

/** @throws `invalid_request` that names the place of what cannot be, and for a `ttlMs` where there is no `ttl`. */
export function readPut(
  key: StoreKey,
  value: StoreValue,
  options: PutOptions | undefined,
  { ttl }: Pick<StoreCapabilities, "ttl">,
): CheckedPut {
  const { ifVersion, ttlMs, attributes = {} } = options ?? {};
  return {
    type: "put",
    key: readStoreKey(key),
    value: copyStoreValue(value),
    attributes: copyAttributes(attributes),
    ...(ifVersion === undefined ? {} : { ifVersion: ifVersion === null ? null : readIfVersion(ifVersion) }),
    ...(ttlMs === undefined ? {} : { ttlMs: readTtl(ttlMs, ttl) }),
  };
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readDelete(key: StoreKey, options: DeleteOptions | undefined): CheckedDelete {
  const ifVersion = options?.ifVersion;
  return {
    type: "delete",
    key: readStoreKey(key),
    ...(ifVersion === undefined ? {} : { ifVersion: readIfVersion(ifVersion) }),
  };
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readBatch(
  operations: readonly StoreOperation[],
  capabilities: Pick<StoreCapabilities, "ttl">,
): readonly CheckedWrite[] {
  if (!Array.isArray(operations)) throw invalidArgument("operations", "an array of puts and deletes is expected");
  return operations.map((operation: StoreOperation) => {
    if (operation?.type === "put") return readPut(operation.key, operation.value, operation.options, capabilities);
    if (operation?.type === "delete") return readDelete(operation.key, operation.options);
    throw invalidArgument("operations", "each must be a put or a delete");
  });
}

/** @throws `invalid_request` that names the place of what cannot be. */
export function readListQuery(query: ListQuery): CheckedListQuery {
  checkFields(query, ["prefix", "where", "order", "limit", "cursor"], "query");
  return {
    prefix: readKeyPrefix(query.prefix),
    where: copyAttributes(query.where ?? {}, "where"),
    descending: readOrder(query.order),
    limit: readWholeNumber(query.limit ?? 100, 1, "limit"),
    ...(query.cursor === undefined ? {} : { after: readCursor(query.cursor) }),
  };
}

/** The cursor of a page is its last key: whatever comes and goes meanwhile, the next page starts after it. */
export function cursorAfter(lastKey: StoreKey): string {
  return storeKeyText(lastKey);
}

function readCursor(cursor: string): StoreKey {
  try {
    return readStoreKey(JSON.parse(cursor) as StoreKey, "cursor");
  } catch {
    throw invalidArgument("cursor", "the cursor of an earlier page is expected");
  }
}

function readIfVersion(ifVersion: StoreVersion): StoreVersion {
  if (typeof ifVersion === "string") return ifVersion;
  throw invalidArgument("ifVersion", `the version of a record is expected, a ${typeof ifVersion} given`);
}

function readTtl(ttlMs: number, ttl: boolean): number {
  if (!ttl) throw invalidArgument("ttlMs", "records of this store do not expire; leave it out");
  if (Number.isFinite(ttlMs) && ttlMs > 0) return ttlMs;
  throw invalidArgument("ttlMs", `a number of milliseconds above 0 is expected, ${String(ttlMs)} given`);
}
