import { type JsonValue, TinyAgentsError } from "@tinyagents/core";

/** The error for an argument that no store can work with. `place` names it; `problem` says what is wrong and wanted. */
export function refused(place: string, problem: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", `${place}: ${problem}`, {
    details: { reason: `${place}: ${problem}` },
  });
}

/** The error for a write whose condition does not hold. */
export function conflicting(resource: string, expected: JsonValue, found: JsonValue): TinyAgentsError<"conflict"> {
  const said = (value: JsonValue): string => (value === null ? "nothing" : JSON.stringify(value));
  return new TinyAgentsError(
    "conflict",
    `${resource}: ${said(expected)} was expected, ${said(found)} found. Read it again and decide anew.`,
    { details: { resource, expected, found } },
  );
}

/** @throws `invalid_request` unless the value is a whole number from `least` up. */
export function checkWholeNumber(value: number, least: number, place: string): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw refused(place, `a whole number from ${least} up is expected, ${String(value)} given`);
}
