import {
  isTinyAgentsError,
  type JsonValue,
  type Store,
  type StoreKey,
  type StoreRecord,
  type StoreValue,
} from "@tinyagents/core";
import { type PlaceTopic, placeTopic } from "./place-topic.js";
import type { StoreNeed, StoreSituation } from "./subject.js";

/** Makes the checks of one topic. */
export const topic: (group: string) => PlaceTopic<StoreSituation, StoreNeed> = placeTopic;

export function json(value: JsonValue): StoreValue {
  return { type: "json", value };
}

export function text(content: string): StoreValue {
  return { type: "text", text: content };
}

export function bytes(...values: readonly number[]): StoreValue {
  return { type: "bytes", bytes: Uint8Array.from(values) };
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

/** Does the same so many times at once. Gives what each came to: its value, or the error it failed with. */
export async function atOnce<T>(count: number, work: (index: number) => Promise<T>): Promise<readonly (T | Error)[]> {
  const settled = await Promise.allSettled(Array.from({ length: count }, (_, index) => work(index)));
  return settled.map((one) => (one.status === "fulfilled" ? one.value : (one.reason as Error)));
}

/** How an outcome reads in a message: `done`, or the code that it failed with. */
export function outcomeOf(outcome: unknown): string {
  if (!(outcome instanceof Error)) return "done";
  return isTinyAgentsError(outcome) ? outcome.code : `error without a code: ${outcome.message}`;
}

/** How often each outcome came. */
export function countOutcomes(outcomes: readonly unknown[]): { readonly [outcome: string]: number } {
  const counts: { [outcome: string]: number } = {};
  for (const outcome of outcomes.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
