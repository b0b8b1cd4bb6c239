import {
  checkOptions,
  type FieldRule,
  type Page,
  type PutOptions,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  type StoreOperation,
  type StoreRecord,
  storeFailure,
} from "@tinyagents/core";
import { rules } from "../option-rules.js";

/** What every view of one tenant can be told. */
export interface TenantOptions {
  /** What stands before the tenant's id, in keys and names of streams. Default `tenants`. */
  readonly prefix?: string | undefined;
}

/**
 * The records of one tenant, as a store of their own: what it is given and gives are keys without the tenant. Nothing of
 * another tenant can be named, listed, paged to or deleted through it. Any character may be in a tenant's id.
 * @throws `TypeError` for an empty id, and for options that cannot be.
 */
export function tenantStore(store: Store, tenantId: string, options: TenantOptions = {}): Store {
  const before = placeOfTenant(tenantId, options, "tenantStore");
  // What is no key is handed on as it is: the store refuses it.
  const keyOf = (key: StoreKey): StoreKey => {
    if (!Array.isArray(key)) return key;
    const names = [...key];
    return names.length > 0 ? [...before, ...names] : names;
  };
  const own = (record: StoreRecord): StoreRecord => {
    const isOwn = before.every((name, index) => record.key[index] === name);
    if (isOwn) return { ...record, key: record.key.slice(before.length) };
    throw storeFailure("store of a tenant", "read", new Error("the store below gave a record from somewhere else"));
  };
  // A record exactly at the tenant's place has no name inside: it is of whoever has the store below. There is one at most.
  const withoutPlace = ({ items, ...page }: Page<StoreRecord>): Page<StoreRecord> => ({
    ...page,
    items: items.map(own).filter(({ key }) => key.length > 0),
  });
  // Whatever has a key, be it a function: a store may take it.
  const inside = (operation: StoreOperation): StoreOperation =>
    operation === undefined || operation === null ? operation : { ...operation, key: keyOf(operation.key) };
  return {
    capabilities: store.capabilities,
    async get(key, options) {
      const record = await store.get(keyOf(key), options);
      return record && own(record);
    },
    put: (key, value, options?: PutOptions & StoreCallOptions) => store.put(keyOf(key), value, options),
    delete: (key, options) => store.delete(keyOf(key), options),
    async list(query, options) {
      const prefixed = Array.isArray(query?.prefix) ? { ...query, prefix: [...before, ...query.prefix] } : query;
      const page = withoutPlace(await store.list(prefixed, options));
      if (page.items.length > 0 || page.cursor === undefined) return page;
      return withoutPlace(await store.list({ ...prefixed, cursor: page.cursor }, options));
    },
    batch: (operations, options) =>
      store.batch(Array.isArray(operations) ? Array.from(operations, inside) : operations, options),
  };
}

const RULES: { readonly [Option in keyof TenantOptions]-?: FieldRule } = { prefix: rules.name };

/** The names before all that is a tenant's. @throws `TypeError` */
export function placeOfTenant(tenantId: string, options: TenantOptions, factory: string): readonly [string, string] {
  checkOptions(options, RULES, `${factory}: options`);
  if (typeof tenantId === "string" && tenantId !== "") return [options.prefix ?? "tenants", tenantId];
  throw new TypeError(`${factory}: tenantId: a text that is not empty is expected`);
}
