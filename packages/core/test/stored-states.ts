import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../src/index.js";

/** States of runs in every phase, in format 1: between all steps of one run, paused, failed. */
export const STATES: readonly JsonObject[] = JSON.parse(
  readFileSync(new URL("./samples/agent-states.v1.json", import.meta.url), "utf8"),
);

/** A state in the middle of its first batch, to be changed. */
export function inBatch(): { [key: string]: JsonValue } {
  return structuredClone(STATES.find(({ phase }) => phase === "tools")) as { [key: string]: JsonValue };
}

/** The state of {@link inBatch} with a value put at a path; `undefined` takes away what is there. */
export function changed(path: string, value: JsonValue | undefined): JsonObject {
  const state = inBatch();
  const keys = path.split(".");
  const last = keys.pop() as string;
  let holder = state as { [key: string]: unknown };
  for (const key of keys) holder = holder[key] as typeof holder;
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return state;
}
