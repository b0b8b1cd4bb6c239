import { checkJson, isJsonObject, type JsonObject, type JsonValue, type ModelWarning } from "@tinyagents/core";

/** Collects fields of wire objects that have no home in a response, so that none is lost. Owns what it is given. */
export class Extras {
  readonly #known: ReadonlySet<string>;
  readonly #fields = new Map<string, JsonValue>();

  /** `known`: the fields that are read elsewhere. */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** Adds the unknown fields of one more fragment: lists grow, objects merge, anything else is replaced. */
  take(wire: JsonObject): void {
    for (const key in wire) {
      const value = wire[key];
      if (value === undefined || value === null || this.#known.has(key)) continue;
      this.#fields.set(key, grow(this.#fields.get(key), value));
    }
  }

  /** What came together. Something that could reach an object's prototype is left out, and `warnings` says so. */
  safeFields(warnings: ModelWarning[]): JsonObject | undefined {
    if (this.#fields.size === 0) return undefined;
    // Unlike an assignment, this keeps a key `__proto__` a key, for the check to find.
    const fields = Object.fromEntries(this.#fields);
    try {
      checkJson(fields, "fields of the response");
      return fields;
    } catch (error) {
      const reason = error instanceof Error ? error.message : "They cannot be read.";
      warnings.push({ code: "malformed_data", message: `Fields of the response were left out. ${reason}` });
      return undefined;
    }
  }
}

function grow(before: JsonValue | undefined, value: JsonValue): JsonValue {
  if (Array.isArray(before) && Array.isArray(value)) {
    for (const item of value) before.push(item);
    return before;
  }
  if (!isJsonObject(before) || !isJsonObject(value)) return value;
  const merged = new Map(Object.entries(before));
  for (const [key, entry] of Object.entries(value)) merged.set(key, grow(merged.get(key), entry));
  return Object.fromEntries(merged);
}
