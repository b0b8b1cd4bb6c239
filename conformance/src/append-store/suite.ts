import type { AppendStore, JsonValue } from "@tinyagents/core";
import { type PlaceTopic, placeTopic } from "../store/place-topic.js";
import type { LogNeed, LogSituation } from "./subject.js";

/** Makes the checks of one topic. */
export const topic: (group: string) => PlaceTopic<LogSituation, LogNeed> = placeTopic;

export async function valuesOf(log: AppendStore, stream: string): Promise<readonly JsonValue[]> {
  return (await log.read(stream)).map(({ value }) => value);
}

export async function offsetsOf(
  log: AppendStore,
  stream: string,
  range?: Parameters<AppendStore["read"]>[1],
): Promise<readonly number[]> {
  return (await log.read(stream, range)).map(({ offset }) => offset);
}

/** Whole numbers from one up to, and without, another. */
export function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
