import { invalidArgument } from "@tinyagents/core";

/** @throws `invalid_request` unless it is a text that is not empty. */
export function checkId(id: unknown, place: string): string {
  if (typeof id === "string" && id !== "") return id;
  throw invalidArgument(place, "a text that is not empty is expected");
}

/** Checks which states are asked for; nothing where all are. @throws `invalid_request` */
export function checkStates<S extends string>(
  states: readonly S[] | undefined,
  known: readonly S[],
): readonly S[] | undefined {
  if (states === undefined) return undefined;
  if (!Array.isArray(states) || states.length === 0)
    throw invalidArgument("query.states", "a list of one or more states is expected");
  for (const state of states) {
    if (known.includes(state)) continue;
    throw invalidArgument("query.states", `there is no state ${JSON.stringify(state)}; there are ${known.join(", ")}`);
  }
  return [...new Set(states)];
}

/** An object without its fields that are `undefined`: they are not said, and no JSON. */
export function withoutUndefined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(said) as { [K in keyof T]: Exclude<T[K], undefined> };
}
