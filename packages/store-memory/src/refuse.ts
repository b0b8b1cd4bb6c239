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
export function checkWholeNumber(value: number | undefined, least: number, place: string): number {
  if (value !== undefined && Number.isSafeInteger(value) && value >= least) return value;
  throw refused(place, `a whole number from ${least} up is expected, ${String(value)} given`);
}

/** @throws `invalid_request` for an object with a field that nobody reads: what it asks for would be passed over. */
export function checkFields(fields: object, known: readonly string[], place: string): void {
  if (typeof fields !== "object" || fields === null) throw refused(place, "an object is expected");
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || known.includes(name)) continue;
    throw refused(`${place}.${name}`, `there is no such field; there are ${known.join(", ")}`);
  }
}

/** Whether the order is descending. */
export function readOrder(order: "ascending" | "descending" | undefined): boolean {
  if (order === undefined || order === "ascending" || order === "descending") return order === "descending";
  throw refused("order", `ascending or descending is expected, ${String(order)} given`);
}
