import type { JsonValue, Store, StoreKey, StoreRecord, StoreValue } from "@tinyagents/core";

/** A store whose time a check can move. */
export interface StoreSubject {
  readonly store: Store;
  /** Lets time pass, ms. */
  advance(ms: number): Promise<void>;
}

export function json(value: JsonValue): StoreValue {
  return { type: "json", value };
}

export function text(content: string): StoreValue {
  return { type: "text", text: content };
}

/** What a text record holds; nothing for anything else. */
export function textOf(record: StoreRecord | undefined): string | undefined {
  return record?.value.type === "text" ? record.value.text : undefined;
}

/** Writes a text that is the key itself, so that a mix-up shows. */
export async function fill(store: Store, keys: readonly StoreKey[]): Promise<void> {
  for (const key of keys) await store.put(key, text(JSON.stringify(key)));
}

export function keysOf(records: readonly StoreRecord[]): readonly StoreKey[] {
  return records.map(({ key }) => key);
}
