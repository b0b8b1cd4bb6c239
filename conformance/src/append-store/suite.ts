import type { AppendStore, JsonValue } from "@tinyagents/core";
import type { Check } from "../check.js";
import type { AppendStoreUnderTest, LogNeed, LogSituation } from "./subject.js";

type Run = (situation: LogSituation) => Promise<void>;

/** Makes the checks of one topic. `extraMs`: see {@link Check}. */
export function topic(
  group: string,
): (name: string, run: Run, needs?: readonly LogNeed[], extraMs?: number) => Check<AppendStoreUnderTest> {
  return (name, run, needs, extraMs) => ({
    name,
    group,
    run: (subject) => subject.within(run),
    ...(needs === undefined ? {} : { needs }),
    ...(extraMs === undefined ? {} : { extraMs }),
  });
}

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
