import { checkJson, type JsonObject, type JsonValue, type ModelWarning } from "@tinyagents/core";

/** Collects fields of wire objects that have no home in a response, so that none is lost. */
export class Extras {
  readonly #known: ReadonlySet<string>;
  readonly #fields = new Map<string, JsonValue>();

  /** `known`: the fields that are read elsewhere. */
  constructor(known: ReadonlySet<string>) {
    this.#known = known;
  }

  /** Adds the unknown fields of one more frame. What says nothing (`null`) is passed over; later ones win. */
  take(wire: JsonObject): void {
    for (const [name, value] of Object.entries(wire)) {
      if (value !== undefined && value !== null && !this.#known.has(name)) this.#fields.set(name, value);
    }
  }

  /** What came together, or nothing. */
  safeFields(warnings: ModelWarning[]): JsonObject | undefined {
    if (this.#fields.size === 0) return undefined;
    // Unlike an assignment, this keeps a key `__proto__` a key, for the check to find.
    const fields = Object.fromEntries(this.#fields);
    return isSafe(fields, warnings) ? fields : undefined;
  }
}

/** Whether a value may go into a response. Something that could reach an object's prototype may not; `warnings` says so. */
export function isSafe(value: JsonValue, warnings: ModelWarning[]): boolean {
  try {
    checkJson(value, "fields of the response");
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : "They cannot be read.";
    warnings.push({ code: "malformed_data", message: `Fields of the response were left out. ${reason}` });
    return false;
  }
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
