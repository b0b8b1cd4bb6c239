import { checkJson } from "../guarded-read.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import type { ModelWarning } from "../model/delta.js";

/**
 * For adapters: collects fields of wire objects that have no home in a response, so that none is lost. What says nothing
 * (`null`) is passed over.
 */
export class UnknownFields {
  readonly #known: ReadonlySet<string>;
  readonly #fields = new Map<string, JsonValue>();
  /** Lists that were made here, and may be added to. */
  readonly #own = new WeakSet<readonly JsonValue[]>();

  /** `known`: the fields that are read elsewhere. */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** Adds the unknown fields of one more object: later ones win. */
  take(wire: JsonObject): void {
    this.#add(wire, (_, value) => value);
  }

  /** Adds the unknown fields of one more fragment: lists grow, objects merge, anything else is replaced. */
  grow(wire: JsonObject): void {
    this.#add(wire, (before, value) => this.#grown(before, value));
  }

  /** What came together, or nothing. `warnings` says where something may not be kept. */
  fields(warnings: ModelWarning[]): JsonObject | undefined {
    if (this.#fields.size === 0) return undefined;
    // Unlike an assignment, this keeps a key `__proto__` a key, for the check to find.
    const fields = Object.fromEntries(this.#fields);
    return mayKeep(fields, warnings) ? fields : undefined;
  }

  #add(wire: JsonObject, join: (before: JsonValue | undefined, value: JsonValue) => JsonValue): void {
    for (const name in wire) {
      const value = wire[name];
      if (value === undefined || value === null || this.#known.has(name)) continue;
      this.#fields.set(name, join(this.#fields.get(name), value));
    }
  }

  #grown(before: JsonValue | undefined, value: JsonValue): JsonValue {
    if (Array.isArray(before) && Array.isArray(value)) return this.#longer(before, value);
    if (!isJsonObject(before) || !isJsonObject(value)) return value;
    const merged = new Map(Object.entries(before));
    for (const [name, entry] of Object.entries(value)) merged.set(name, this.#grown(merged.get(name), entry));
    return Object.fromEntries(merged);
  }

  /** A list is copied once: one that comes piece by piece would take the square of its length. */
  #longer(before: readonly JsonValue[], more: readonly JsonValue[]): readonly JsonValue[] {
    const list = this.#own.has(before) ? (before as JsonValue[]) : [...before];
    this.#own.add(list);
    for (const item of more) list.push(item);
    return list;
  }
}

/** For adapters: the unknown fields of one object. */
export function unknownFields(
  wire: JsonObject,
  known: ReadonlySet<string>,
  warnings: ModelWarning[],
): JsonObject | undefined {
  const unknown = new UnknownFields(known);
  unknown.take(wire);
  return unknown.fields(warnings);
}

/** For adapters: whether a value may go into a response. What could reach an object's prototype may not; `warnings` says so. */
export function mayKeep(value: JsonValue, warnings: ModelWarning[]): boolean {
  try {
    checkJson(value, "fields of the response");
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "They cannot be read.";
    warnings.push({ code: "malformed_data", message: `Fields of the response were left out. ${reason}` });
    return false;
  }
}
