import type { Place } from "@tinyagents/conformance";
import {
  type Clock,
  type ListQuery,
  manualClock,
  type Page,
  type PutOptions,
  type Store,
  type StoreAttributes,
  type StoreCapabilities,
  type StoreKey,
  type StoreOperation,
  type StoreRecord,
  type StoreValue,
} from "@tinyagents/core";
import { checkFields, checkOrder, checkWhole, conflicting, enter, jsonText, refused } from "./stored.js";

interface Kept {
  readonly record: StoreRecord;
  readonly goneAtMs: number;
}

/** What all stores on a place share. */
export interface StoreMemory {
  readonly clock: Pick<Clock, "now">;
  /** By the JSON text of their keys. */
  records: Map<string, Kept>;
  lastVersion: number;
  /** How often the place was opened. */
  opened: number;
  capabilities: StoreCapabilities;
}

/** Makes a sound store unsound. Called for each that is opened. */
export type StoreFault = (store: Store, memory: StoreMemory) => Store;

/** A place that outlives its stores, for as many as there are. */
export function storePlace(
  change: StoreFault = (store) => store,
  claims: Partial<StoreCapabilities> = {},
): Place<{ readonly store: Store; close(): Promise<void> }> {
  return placeOf((memory, isClosed) => change(storeOn(memory, isClosed), memory), claims);
}

/** As {@link storePlace}, for stores that are opened by `open`. */
export function placeOf<S extends Store>(
  open: (memory: StoreMemory, isClosed: () => boolean) => S,
  claims: Partial<StoreCapabilities>,
): Place<{ readonly store: S; close(): Promise<void> }> {
  const capabilities = { durable: true, multiProcess: true, atomicBatch: true, ttl: true, ...claims };
  const clock = manualClock();
  const memory: StoreMemory = { clock, records: new Map(), lastVersion: 0, opened: 0, capabilities };
  return {
    open() {
      memory.opened += 1;
      let isClosed = false;
      const close = async (): Promise<void> => {
        isClosed = true;
      };
      return { store: open(memory, () => isClosed), close };
    },
    advance: (ms) => clock.advance(ms),
  };
}

/** One store on a place. */
export function storeOn(memory: StoreMemory, isClosed: () => boolean): Store {
  const { capabilities } = memory;
  return {
    capabilities,
    async get(key, options) {
      enter(isClosed(), "get", options);
      const found = find(memory, checkKey(key));
      return found && structuredClone(found);
    },
    async put(key, value, options) {
      enter(isClosed(), "put", options);
      return doAll(memory, [{ type: "put", key, value, ...(options && { options }) }])[0] as string;
    },
    async delete(key, options) {
      enter(isClosed(), "delete", options);
      checkKey(key);
      const found = find(memory, key) !== undefined;
      doAll(memory, [{ type: "delete", key, ...(options && { options }) }]);
      return found;
    },
    async list(query, options) {
      enter(isClosed(), "list", options);
      return structuredClone(list(memory, query));
    },
    async batch(operations, options) {
      enter(isClosed(), "batch", options);
      return doAll(memory, operations);
    },
  };
}

function find({ records, clock }: StoreMemory, key: StoreKey): StoreRecord | undefined {
  const kept = records.get(JSON.stringify(key));
  return kept !== undefined && kept.goneAtMs > clock.now() ? kept.record : undefined;
}

function doAll(memory: StoreMemory, operations: readonly StoreOperation[]): readonly (string | undefined)[] {
  if (!Array.isArray(operations)) throw refused("operations");
  const checked = operations.map((operation) => checkOperation(memory, operation));
  const before = new Map(memory.records);
  try {
    return checked.map((operation) => doOne(memory, operation));
  } catch (error) {
    if (memory.capabilities.atomicBatch) memory.records = before;
    throw error;
  }
}

function doOne(memory: StoreMemory, { key, options, ...operation }: StoreOperation): string | undefined {
  const found = find(memory, key)?.version ?? null;
  const id = JSON.stringify(key);
  if (options?.ifVersion !== undefined && options.ifVersion !== found) throw conflicting(id, options.ifVersion, found);
  memory.records.delete(id);
  if (operation.type === "delete") return undefined;
  const { ttlMs = Number.POSITIVE_INFINITY, attributes = {} } = (options ?? {}) as PutOptions;
  const version = `v${++memory.lastVersion}`;
  const updatedAtMs = memory.clock.now();
  const record = { key, value: operation.value, version, attributes, updatedAtMs };
  memory.records.set(id, { record, goneAtMs: updatedAtMs + ttlMs });
  return version;
}

function checkOperation({ capabilities }: StoreMemory, operation: StoreOperation): StoreOperation {
  if (operation?.type !== "put" && operation?.type !== "delete") throw refused("operation");
  const key = checkKey(operation.key);
  if (operation.type === "delete") return { ...operation, key };
  const { signal: _, ...options } = (operation.options ?? {}) as PutOptions & { readonly signal?: AbortSignal };
  const { ttlMs } = options;
  if (ttlMs !== undefined && !(capabilities.ttl && Number.isFinite(ttlMs) && ttlMs > 0)) throw refused("ttlMs");
  const attributes = copyAttributes(options.attributes ?? {}, "attributes");
  return { type: "put", key, value: copyValue(operation.value), options: { ...options, attributes } };
}

function copyValue(value: StoreValue): StoreValue {
  if (value?.type === "json") return { type: "json", value: JSON.parse(jsonText(value.value, "value")) };
  if (value?.type === "text" && typeof value.text === "string") return { type: "text", text: value.text };
  if (value?.type === "bytes" && value.bytes instanceof Uint8Array)
    return { type: "bytes", bytes: new Uint8Array(value.bytes) };
  throw refused("value");
}

function copyAttributes(attributes: StoreAttributes, place: string): StoreAttributes {
  if (typeof attributes !== "object") throw refused(place);
  for (const [name, value] of Object.entries(attributes)) {
    const isScalar = value === null || ["string", "boolean"].includes(typeof value) || Number.isFinite(value);
    if (name === "" || !isScalar) throw refused(`${place}.${name}`);
  }
  return JSON.parse(JSON.stringify(attributes)) as StoreAttributes;
}

function checkKey(key: StoreKey): StoreKey {
  if (!Array.isArray(key) || key.length === 0) throw refused("key");
  return checkNames(key);
}

function checkNames(names: StoreKey): StoreKey {
  if (!Array.isArray(names) || names.some((name) => typeof name !== "string" || name === "")) throw refused("key");
  return [...names];
}

function list(memory: StoreMemory, query: ListQuery): Page<StoreRecord> {
  checkFields(query, ["prefix", "where", "order", "limit", "cursor"]);
  const { limit = 100, order, cursor } = query;
  const prefix = checkNames(query.prefix);
  checkWhole(limit, 1, "limit");
  checkOrder(order);
  const where = Object.entries(copyAttributes(query.where ?? {}, "where"));
  const direction = order === "descending" ? -1 : 1;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const items = [...memory.records.values()]
    .map(({ record }) => record)
    .filter(({ key }) => find(memory, key) !== undefined)
    .filter(({ key }) => prefix.every((name, index) => key[index] === name))
    .filter(({ attributes }) => where.every(([name, wanted]) => attributes[name] === wanted))
    .filter(({ key }) => after === undefined || compareKeys(key, after) * direction > 0)
    .sort((one, other) => compareKeys(one.key, other.key) * direction);
  const page = items.slice(0, limit);
  return items.length > limit ? { items: page, cursor: JSON.stringify(page.at(-1)?.key) } : { items: page };
}

function readCursor(cursor: string): StoreKey {
  try {
    return checkKey(JSON.parse(cursor) as StoreKey);
  } catch {
    throw refused("cursor");
  }
}

function compareKeys(one: StoreKey, other: StoreKey): number {
  for (const [index, name] of one.entries()) {
    const against = other[index];
    if (against === undefined || name > against) return 1;
    if (name < against) return -1;
  }
  return one.length - other.length;
}
