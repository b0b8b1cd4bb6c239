import {
  type JsonPrimitive,
  type JsonValue,
  type Store,
  type StoreKey,
  type StoreValue,
  TinyAgentsError,
} from "@tinyagents/core";
import { type StoreFault, storeOn } from "./memory-store.js";
import { conflicting } from "./stored.js";

type Put = Store["put"];
type List = Store["list"];
type Get = Store["get"];

/** Lets others have a turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Puts through `change`, and batches of one put as well. */
function puts(change: (put: Put, store: Store) => Put): StoreFault {
  return (store) => ({ ...store, put: change(store.put, store) });
}

function lists(change: (list: List) => List): StoreFault {
  return (store) => ({ ...store, list: change(store.list) });
}

function gets(change: (get: Get) => Get): StoreFault {
  return (store) => ({ ...store, get: change(store.get) });
}

/** Stores something else than what it is given. */
function storing(change: (value: StoreValue) => StoreValue): StoreFault {
  return puts((put) => (key, value, options) => put(key, change(value), options));
}

function storingJson(change: (value: JsonValue) => JsonValue): StoreFault {
  return storing((value) => (value?.type === "json" ? { type: "json", value: change(value.value) } : value));
}

/** Uses other keys than it is given. */
function keyed(change: (key: StoreKey) => StoreKey): StoreFault {
  return (store) => ({
    ...store,
    get: (key, options) => store.get(change(key), options),
    put: (key, value, options) => store.put(change(key), value, options),
    delete: (key, options) => store.delete(change(key), options),
  });
}

/** Looks whether the version is right, and writes later. */
const checkThenWrite: StoreFault = puts((put, store) => async (key, value, { ifVersion, ...options } = {}) => {
  const found = (await store.get(key))?.version ?? null;
  if (ifVersion !== undefined && found !== ifVersion) throw conflicting(JSON.stringify(key), ifVersion, found);
  await turn();
  return put(key, value, options);
});

const oneByOne: StoreFault = (store) => ({
  ...store,
  async batch(operations) {
    const versions: (string | undefined)[] = [];
    for (const { type, key, ...rest } of operations) {
      await turn();
      if (type === "put" && "value" in rest) versions.push(await store.put(key, rest.value, rest.options));
      else versions.push(void (await store.delete(key, rest.options as object)));
    }
    return versions;
  },
});

/** Pages are counted, so that they move when records come and go. */
const countedPages = lists((list) => async ({ cursor = "0", limit = 100, ...query }) => {
  await turn();
  const all: Awaited<ReturnType<List>>["items"][number][] = [];
  for (let next: string | undefined = ""; next !== undefined; ) {
    const page: Awaited<ReturnType<List>> = await list({ ...query, limit: 1_000, ...(next && { cursor: next }) });
    all.push(...page.items);
    next = page.cursor;
  }
  const end = Number(cursor) + limit;
  return { items: all.slice(Number(cursor), end), ...(end < all.length && { cursor: String(end) }) };
});

function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] => [key, sortKeys(inner)]);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Assigns keys, so that `__proto__` sets the prototype. */
function assignKeys(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const copied: { [key: string]: JsonValue } = {};
  for (const [key, inner] of Object.entries(value)) copied[key] = inner;
  return copied;
}

function depthOf(value: JsonValue): number {
  return Array.isArray(value) ? 1 + Math.max(0, ...value.map(depthOf)) : 0;
}

/** At the second opening, something has happened to what is kept. */
function reopening(happen: Parameters<StoreFault>[1] extends infer M ? (memory: M) => void : never): StoreFault {
  return (store, memory) => {
    if (memory.opened > 1) happen(memory);
    return store;
  };
}

/** Stores other attributes than it is given. */
function attributed(change: (of: [name: string, value: JsonPrimitive]) => [string, JsonPrimitive]): StoreFault {
  return puts(
    (put) =>
      (key, value, { attributes = {}, ...options } = {}) =>
        put(key, value, { ...options, attributes: Object.fromEntries(Object.entries(attributes).map(change)) }),
  );
}

/** For every check of a store, a fault that it must find. */
export const storeFaults: { readonly [check: string]: StoreFault } = {
  "gives nothing for a key that was never written": gets((get) => async (key, options) => {
    const empty = { key, value: { type: "text", text: "" }, version: "v0", attributes: {}, updatedAtMs: 0 } as const;
    return (await get(key, options)) ?? empty;
  }),
  "gives a record with its key, value, version, attributes and time": puts(
    (put) => (key, value, options) =>
      put(key, value, {
        ...options,
        attributes: Object.fromEntries(Object.entries(options?.attributes ?? {}).filter(([, one]) => one !== null)),
      }),
  ),
  "gives back JSON with its exact content": storingJson((value) =>
    typeof value === "number" ? Number(value.toPrecision(15)) : value,
  ),
  "gives back text with its exact characters": storing((value) =>
    value.type === "text" ? { ...value, text: new TextDecoder().decode(new TextEncoder().encode(value.text)) } : value,
  ),
  "gives back bytes, none and every one there is, as a Uint8Array": storing((value) =>
    value.type === "bytes" ? { ...value, bytes: value.bytes.map((byte) => byte & 127) } : value,
  ),
  "gives back large values whole": storing((value) =>
    value.type === "bytes" ? { ...value, bytes: value.bytes.subarray(0, 65_536) } : value,
  ),
  "gives back JSON that is 256 levels deep, and refuses what is deeper": storingJson((value) =>
    depthOf(value) > 256 ? null : value,
  ),
  "keeps the order of the keys in JSON, and -0 as the 0 that it is in JSON text": storingJson(sortKeys),
  "keeps a key named __proto__ inside a value as a key": storingJson(assignKeys),
  "gives back JSON that looks like something kept by a store as the JSON that it is": storingJson(
    (value) => JSON.parse(JSON.stringify(value), (_, inner) => inner?.$binary?.base64 ?? inner) as JsonValue,
  ),
  "keeps what was stored when the caller changes its own objects later": puts((put) => async (...args) => {
    await turn();
    return put(...args);
  }),
  "copies bytes at once, also those that are a window on a larger buffer": puts((put) => async (...args) => {
    if (args[1].type === "bytes") await turn();
    return put(...args);
  }),
  "hands out records that share nothing with what is stored": (store) => {
    const known = new Map<string, Awaited<ReturnType<Get>>>();
    const same = (record: NonNullable<Awaited<ReturnType<Get>>>): typeof record => {
      if (!known.has(record.version)) known.set(record.version, record);
      return known.get(record.version) as typeof record;
    };
    return {
      ...store,
      async get(key) {
        const record = await store.get(key);
        return record && same(record);
      },
      list: async (query) => ({ ...(await store.list(query)), items: (await store.list(query)).items.map(same) }),
    };
  },
  "refuses what is not JSON, names where it is, and writes nothing": storingJson((value) => {
    try {
      return JSON.parse(JSON.stringify(value)) as JsonValue;
    } catch {
      return value;
    }
  }),
  "refuses a value of no kind, and an attribute that is no scalar": storing(
    (value) => value ?? { type: "text", text: "" },
  ),

  "keeps every hostile name as a name like any other, beside its neighbours": keyed((key) =>
    key.map((name) => name.toLowerCase()),
  ),
  "takes away the one record that is named, and none that looks like it": (store) => ({
    ...store,
    async delete(key) {
      if (key[0] !== "*") return store.delete(key);
      const { items } = await store.list({ prefix: [], limit: 1_000 });
      for (const record of items) await store.delete(record.key);
      return items.length > 0;
    },
  }),
  "takes the names of attributes as they are": attributed(([name, value]) => [name.replace("$", ""), value]),
  "keeps 64 attributes, with names of 256 and texts of 1024 characters, and selects by each and by all": attributed(
    ([name, value]) => [name, typeof value === "string" ? value.slice(0, 1_000) : value],
  ),
  "keeps every text and number exactly, and tells each from all others": attributed(([name, value]) => [
    name,
    typeof value === "number" ? Number(value.toPrecision(15)) : value,
  ]),
  "keeps keys apart that would be one if their names were joined": keyed((key) => [key.join("/")]),
  "refuses an empty key, an empty name and an empty name of an attribute": keyed((key) =>
    Array.isArray(key) ? key.map((name) => name || "_") : key,
  ),

  "gives every write of a key a version of its own, also after a delete": puts((put) => async (...args) => {
    await put(...args);
    return JSON.stringify(args[1]);
  }),
  "writes a record whole: the attributes of the one before are gone": puts(
    (put, store) => async (key, value, options) => {
      const before = (await store.get(key))?.attributes;
      return put(key, value, { ...options, attributes: { ...before, ...options?.attributes } });
    },
  ),
  "refuses the second of two writers that saw the same version": puts(
    (put) => (key, value, options) => put(key, value, { ...options, ifVersion: undefined }),
  ),
  "creates a record only where there is none when ifVersion is null": puts(
    (put) => (key, value, options) => put(key, value, { ...options, ifVersion: options?.ifVersion ?? undefined }),
  ),
  "refuses to replace a record that is not there, or no longer": puts((put, store) => async (key, value, options) => {
    const isThere = (await store.get(key)) !== undefined;
    return put(key, value, { ...options, ifVersion: isThere ? options?.ifVersion : undefined });
  }),
  "deletes only the version that was named, and says whether there was a record": (store) => ({
    ...store,
    delete: (key) => store.delete(key),
  }),
  "lets exactly one of many win that write over the same version at once": checkThenWrite,
  "lets exactly one of many create a record at once": checkThenWrite,
  "tells exactly one of many that it took the record away": (store) => ({
    ...store,
    async delete(key) {
      const found = (await store.get(key)) !== undefined;
      await store.delete(key);
      return found;
    },
  }),
  "loses no change of those who read, write over what they read, and try again": checkThenWrite,
  "shows readers one write or another, whole, while many write at once": puts((put) => async (key, value, options) => {
    await put(key, value);
    await turn();
    return put(key, value, options);
  }),

  "notes when a record was written last": lists((list) => async (query) => ({
    items: (await list(query)).items.map((record) => ({ ...record, updatedAtMs: 0 })),
  })),
  "no longer has a record whose time is over, and still has the others": puts(
    (put) => (key, value, options) => put(key, value, { ...options, ttlMs: undefined }),
  ),
  "has an expired record neither for get, nor for list, nor for ifVersion, nor for delete": puts(
    (put) => (key, value, options) => put(key, value, { ...options, ttlMs: options?.ttlMs && options.ttlMs + 1 }),
  ),
  "forgets the expiry of a record that is written again without one": puts((put) => {
    let last: number | undefined;
    return (key, value, options) => {
      last = options?.ttlMs ?? last;
      return put(key, value, { ...options, ttlMs: last });
    };
  }),
  "refuses a ttlMs that is no time": puts(
    (put) => (key, value, options) => put(key, value, { ...options, ttlMs: options?.ttlMs || undefined }),
  ),

  "does a batch in order, each write seeing those before it, and gives the versions of its puts": (store) => ({
    ...store,
    batch: async (operations) => [...(await store.batch([...operations].reverse()))].reverse(),
  }),
  "checks a batch whole before it does any of it": oneByOne,
  "does nothing of a batch in which one condition fails": oneByOne,
  "does one of many batches that want the same record at once, and that one whole": oneByOne,

  "lists by key, name by name in code unit order, whatever the order of writing": lists((list) => async (query) => {
    const page = await list(query);
    const compare = ([one = ""]: StoreKey, [other = ""]: StoreKey): number => one.localeCompare(other);
    return { ...page, items: [...page.items].sort((one, other) => compare(one.key, other.key)) };
  }),
  "matches the names of a prefix whole, and never as joined text": lists((list) => async ({ prefix, ...query }) => {
    const page = await list({ ...query, prefix: [] });
    return { ...page, items: page.items.filter(({ key }) => key.join("/").startsWith(prefix.join("/"))) };
  }),
  "selects the records that have all of the attributes, compared by type and value": lists(
    (list) =>
      async ({ where = {}, ...query }) => {
        const page = await list(query);
        const has = Object.entries(where);
        const isWanted = (attributes: object): boolean =>
          has.every(([name, value]) => String((attributes as { [name: string]: unknown })[name]) === String(value));
        return { ...page, items: page.items.filter(({ attributes }) => isWanted(attributes)) };
      },
  ),
  "selects before it counts: a page of what was selected is full": lists((list) => async ({ where = {}, ...query }) => {
    const page = await list(query);
    const isWanted = ({ n }: { readonly [name: string]: unknown }): boolean => n === where.n;
    return { ...page, items: page.items.filter(({ attributes }) => isWanted(attributes)) };
  }),
  "refuses to select by what it cannot compare, where everything would match": lists(
    (list) =>
      ({ where = {}, ...query }) =>
        list({
          ...query,
          where: Object.fromEntries(Object.entries(where).filter(([, one]) => typeof one === "string")),
        }),
  ),
  "refuses a query with a field that it does not know, where everything would match": lists(
    (list) =>
      ({ prefix, where, order, limit, cursor }) =>
        list({ prefix, where, order, limit, cursor }),
  ),
  "gives pages that add up to the whole, with no cursor on the last one": lists((list) => async (query) => {
    const page = await list(query);
    const last = page.items.at(-1);
    return last === undefined ? page : { ...page, cursor: JSON.stringify(last.key) };
  }),
  "gives at most 100 records when nobody says how many": lists((list) => (query) => list({ limit: 1_000, ...query })),
  "neither repeats nor misses a record when others come and go between pages": countedPages,
  "neither repeats nor misses a record while many write at once": (store, memory) => {
    const put: Put = async (...args) => {
      for (let passed = 0; passed < 5 && args[0][1]?.endsWith("-new"); passed++) await turn();
      return store.put(...args);
    };
    return { ...countedPages(store, memory), put };
  },
  "refuses a limit, an order or a cursor that cannot be": lists(
    (list) => (query) => list({ ...query, limit: Math.max(1, Math.round(Number(query.limit)) || 1) }),
  ),

  "says of each capability yes or no": (store) => ({
    ...store,
    capabilities: { ...store.capabilities, ttl: "maybe" as never },
  }),
  "still has every record, exactly as it was, when the place is opened again": reopening((memory) => {
    for (const [id, { record }] of memory.records) if (record.value.type === "bytes") memory.records.delete(id);
  }),
  "goes on with its versions when the place is opened again": reopening((memory) => {
    memory.lastVersion = 0;
  }),
  "does not forget when a record expires when the place is opened again": reopening((memory) => {
    for (const [id, { record }] of memory.records)
      memory.records.set(id, { record, goneAtMs: Number.POSITIVE_INFINITY });
  }),
  "shows what one store on a place has written to the others at once": gets((get) => {
    const known = new Map<string, ReturnType<Get>>();
    return (key) => {
      const id = JSON.stringify(key);
      const found = known.get(id) ?? get(key);
      known.set(id, found);
      return found;
    };
  }),
  "lets exactly one of several stores on a place win that write over the same version at once": checkThenWrite,
  "fails every call with store_failed once it is closed, however often it is closed": (store, memory) => ({
    ...store,
    list: (query) => storeOn(memory, () => false).list(query),
  }),
  "lets the writes under way end when it is closed, and keeps those that it acknowledged": puts(
    (put) =>
      async (...args) => {
        setTimeout(() => put(...args).catch(() => undefined), 0);
        return "soon";
      },
  ),

  "does nothing when it is cancelled before": (store) => ({ ...store, get: (key) => store.get(key) }),
  "fails with the reason when it is cancelled for one of ours": gets((get) => async (key, options) => {
    if (options?.signal?.aborted === true) throw new TinyAgentsError("cancelled", "Stopped.", { details: {} });
    return get(key, options);
  }),
  "does a write whole or not at all when it is cancelled under way, and goes on": puts(
    (put) => async (key, value, options) => {
      await put(key, value);
      await turn();
      return put(key, value, options);
    },
  ),
  "leaves no listener on the caller's signal": gets((get) => (key, options) => {
    options?.signal?.addEventListener("abort", () => undefined);
    return get(key, options);
  }),

  "behaves like a plain list of records under any sequence of writes": puts(
    (put, store) => async (key, value, options) => {
      const version = await put(key, value, options);
      if (key.length === 3) await store.delete([...key].reverse());
      return version;
    },
  ),
};
