import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Evidence } from "../text/evidence.js";
import { shorten } from "../text/summarize.js";
import { stems } from "../text/words.js";
import { propertiesOf, requiredOf, typeOf } from "./roles.js";
import { fitsString, numberFor, stringFor } from "./scalars.js";

/** What there is to make values from. */
export interface Known {
  readonly question: string;
  readonly evidence: Evidence;
  /** Values that tools returned, by name of their field. */
  readonly facts: ReadonlyMap<string, JsonValue>;
  /** The answer in prose; empty while it is not known. */
  readonly answer: string;
}

/** A value for a schema, and how much of it stands on something. */
export interface Filled {
  readonly value: JsonValue;
  /** How many of its parts came from what is known. */
  readonly known: number;
  /** How many required parts are made up: the least value that the schema allows. */
  readonly guessed: number;
}

/** Deeper schemas get their least value, so that one that contains itself ends. */
const MAX_DEPTH = 12;

/** Builds a value that satisfies a schema from what is known, with the least that the schema allows for the rest. */
export function fill(schema: JsonObject, known: Known): Filled {
  return new Filler(schema, known).fill();
}

/** Makes one value. It remembers which pieces of evidence are used up. */
class Filler {
  readonly #root: JsonObject;
  readonly #known: Known;
  readonly #numbers: number[];
  readonly #strings: string[];
  #used = 0;
  #guessed = 0;

  constructor(root: JsonObject, known: Known) {
    this.#root = root;
    this.#known = known;
    const { numbers, quoted, names } = known.evidence;
    this.#numbers = [...numbers];
    this.#strings = [...quoted, ...names];
  }

  fill(): Filled {
    const value = this.#value("", this.#root, 0);
    return { value, known: this.#used, guessed: this.#guessed };
  }

  #value(name: string, given: JsonObject, depth: number): JsonValue {
    const schema = this.#resolve(given);
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return this.#choice(name, schema.enum);
    const fact = this.#fact(name, schema);
    if (fact !== undefined) return this.#use(fact);
    const variants = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(variants)) return this.#value(name, chooseVariant(variants.filter(isJsonObject)), depth + 1);
    switch (typeOf(schema) ?? (isJsonObject(schema.properties) ? "object" : "string")) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#array(name, schema, depth);
      case "number":
      case "integer":
        return this.#number(schema);
      case "boolean":
        return this.#guess(schema.default ?? false);
      case "null":
        return null;
      default:
        return this.#string(name, schema);
    }
  }

  /** Follows references inside the schema, and joins what `allOf` lists. */
  #resolve(schema: JsonObject): JsonObject {
    let current = schema;
    for (let hops = 0; hops < MAX_DEPTH && typeof current.$ref === "string"; hops++) {
      current = this.#at(current.$ref) ?? {};
    }
    if (!Array.isArray(current.allOf)) return current;
    const joined = current.allOf.filter(isJsonObject).map((each) => this.#resolve(each));
    const all = [current, ...joined];
    return {
      ...Object.assign({}, ...all),
      properties: Object.assign({}, ...all.map(propertiesOf)),
      required: [...new Set(all.flatMap(requiredOf))],
    };
  }

  #at(reference: string): JsonObject | undefined {
    if (reference === "#") return this.#root;
    let place: JsonValue | undefined = this.#root;
    for (const step of reference.replace(/^#\//, "").split("/")) {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      place = isJsonObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
    }
    return isJsonObject(place) ? place : undefined;
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    if (depth > MAX_DEPTH) return this.#guess({}) as JsonObject;
    const properties = propertiesOf(schema);
    const value: { [key: string]: JsonValue } = {};
    for (const key of new Set([...requiredOf(schema), ...this.#optionalOf(schema)])) {
      Object.defineProperty(value, key, {
        value: this.#value(key, properties[key] ?? {}, depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    }
    return value;
  }

  /** Optional fields for which a tool has given a value, or one of whose choices the question names. */
  #optionalOf(schema: JsonObject): readonly string[] {
    return Object.entries(propertiesOf(schema))
      .filter(([key, given]) => {
        const each = this.#resolve(given);
        return Array.isArray(each.enum) ? this.#named(each.enum) !== undefined : this.#fact(key, each) !== undefined;
      })
      .map(([key]) => key);
  }

  #array(name: string, schema: JsonObject, depth: number): JsonValue {
    const items = isJsonObject(schema.items) ? this.#resolve(schema.items) : {};
    const least = typeof schema.minItems === "number" ? schema.minItems : 0;
    const most = typeof schema.maxItems === "number" ? schema.maxItems : Number.POSITIVE_INFINITY;
    const fixed = Array.isArray(schema.prefixItems) ? schema.prefixItems.filter(isJsonObject) : [];
    const values = fixed.map((each) => this.#value(name, each, depth + 1));
    const type = typeOf(items);
    const pool: unknown[] | undefined =
      type === "number" || type === "integer" ? this.#numbers : type === "string" ? this.#strings : undefined;
    while (depth <= MAX_DEPTH && values.length < most && (values.length < least || (pool?.length ?? 0) > 0)) {
      const before = pool?.length ?? 0;
      values.push(this.#value(name, items, depth + 1));
      if (values.length >= least && (pool?.length ?? 0) === before) break;
    }
    return schema.uniqueItems === true ? distinct(values) : values;
  }

  #choice(name: string, choices: readonly JsonValue[]): JsonValue {
    const fact = this.#known.facts.get(factName(name));
    if (fact !== undefined && choices.includes(fact)) return this.#use(fact);
    const named = this.#named(choices);
    return named === undefined ? this.#guess(choices[0] ?? null) : this.#use(named);
  }

  /** The choice that the question names, word for word, or the answer where the question names none. */
  #named(choices: readonly JsonValue[]): JsonValue | undefined {
    for (const text of [this.#known.question, this.#known.answer]) {
      const said = stems(text);
      const found = choices.find(
        (each) =>
          typeof each === "string" &&
          each !== "" &&
          [...stems(each.replaceAll("_", " "))].every((word) => said.has(word)),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #fact(name: string, schema: JsonObject): JsonValue | undefined {
    const fact = this.#known.facts.get(factName(name));
    const type = typeOf(schema);
    if (fact === undefined || type === undefined) return undefined;
    if (typeof fact === "string") return type === "string" && fitsString(fact, schema) ? fact : undefined;
    if (typeof fact === "boolean") return type === "boolean" ? fact : undefined;
    const isNumber = type === "number" || (type === "integer" && Number.isInteger(fact));
    return typeof fact === "number" && isNumber && numberFor(schema, fact) === fact ? fact : undefined;
  }

  #number(schema: JsonObject): number {
    const found = this.#numbers.find((each) => numberFor(schema, each) === each);
    if (found === undefined) return this.#guess(numberFor(schema, 0));
    this.#numbers.splice(this.#numbers.indexOf(found), 1);
    return this.#use(found);
  }

  #string(name: string, schema: JsonObject): string {
    const found = stringFor(name, schema, this.#known, this.#strings);
    if (found === undefined) return this.#guess(leastString(schema, this.#known));
    const at = this.#strings.indexOf(found);
    if (at >= 0) this.#strings.splice(at, 1);
    return this.#use(found);
  }

  #use<T extends JsonValue>(value: T): T {
    this.#used++;
    return value;
  }

  #guess<T extends JsonValue>(value: T): T {
    this.#guessed++;
    return value;
  }
}

/** Facts are found by name whatever style the name is written in. */
export function factName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

function chooseVariant(variants: readonly JsonObject[]): JsonObject {
  return variants.find((each) => typeOf(each) !== "null") ?? variants[0] ?? {};
}

function distinct(values: readonly JsonValue[]): JsonValue {
  return [...new Map(values.map((value) => [canonicalJson(value), value])).values()];
}

function leastString(schema: JsonObject, known: Known): string {
  const least = typeof schema.minLength === "number" ? schema.minLength : 0;
  const most = typeof schema.maxLength === "number" ? schema.maxLength : 200;
  if (typeof schema.default === "string") return schema.default;
  const candidates = ["unknown", "a", "A", "0", "1", "x1", "2000-01-01", shorten(known.question, most)];
  const fitting = candidates.find((each) => fitsString(each, schema));
  return fitting ?? "unknown".slice(0, most).padEnd(least, ".");
}
