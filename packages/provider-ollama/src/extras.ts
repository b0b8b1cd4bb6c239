import { checkJson, isJsonObject, type JsonObject, type JsonValue, type ModelWarning } from "@tinyagents/core";

/** Collects fields of wire objects that have no home in a response, so that none is lost. */
export class Extras {
  readonly #known: ReadonlySet<string>;
  readonly #fields = new Map<string, JsonValue>();

  /** `known`: the fields that are read elsewhere. */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** Adds the unknown fields of one more line: lists grow, anything else is replaced by what comes later. */
  take(wire: JsonObject): void {
    for (const [key, value] of Object.entries(wire)) {
      if (value === null || this.#known.has(key)) continue;
      const before = this.#fields.get(key);
      // A list that has grown is ours alone: the first copy is made here.
      if (Array.isArray(before) && Array.isArray(value)) for (const item of value) before.push(item);
      else this.#fields.set(key, Array.isArray(value) ? [...value] : value);
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

/** The unknown fields of one object. */
export function unknownFields(
  wire: JsonObject,
  known: ReadonlySet<string>,
  warnings: ModelWarning[],
): JsonObject | undefined {
  const extras = new Extras(known);
  extras.take(wire);
  return extras.safeFields(warnings);
}

/** A text of the wire; nothing else counts as one. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A list's objects. What else stands in it is no use to anybody. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
