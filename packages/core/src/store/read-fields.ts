import { invalidArgument } from "./refuse.js";

/** @throws `invalid_request` unless the value is a whole number from `least` up. */
export function readWholeNumber(value: number | undefined, least: number, place: string): number {
  if (value !== undefined && Number.isSafeInteger(value) && value >= least) return value;
  throw invalidArgument(place, `a whole number from ${least} up is expected, ${String(value)} given`);
}

/** @throws `invalid_request` for an object with a field that nobody reads: what it asks for would be passed over. */
export function checkFields(fields: object, known: readonly string[], place: string): void {
  if (typeof fields !== "object" || fields === null) throw invalidArgument(place, "an object is expected");
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || known.includes(name)) continue;
    throw invalidArgument(`${place}.${name}`, `there is no such field; there are ${known.join(", ")}`);
  }
}

/** Whether the order is descending. */
export function readOrder(order: "ascending" | "descending" | undefined): boolean {
  if (order === undefined || order === "ascending" || order === "descending") return order === "descending";
  throw invalidArgument("order", `ascending or descending is expected, ${String(order)} given`);
}
