import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import { nullable } from "./nullable-schema.js";

/** A schema as strict mode takes it, or why there is none. */
export type StrictSchema =
  | {
      readonly schema: JsonObject;
      /** What was changed, a place and its change each; none when strict mode takes the schema as it was. */
      readonly changes: readonly string[];
    }
  | { readonly refused: string };

/** Keywords without a strict form. */
const REFUSED = [
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "prefixItems",
];

/** Keywords that strict mode does not know. Whoever reads the answer checks it against the schema as it was. */
const LEFT_OUT = [
  "minLength",
  "maxLength",
  "uniqueItems",
  "contains",
  "minContains",
  "maxContains",
  "unevaluatedItems",
  "minProperties",
  "maxProperties",
];

/** What stands beside a reference, and says nothing of the value. */
const NOTES: ReadonlySet<string> = new Set(["title", "description", "examples", "deprecated", "$comment"]);

/** How many properties strict mode takes, and in how many objects it reads. */
const MOST_PROPERTIES = 5_000;
const MOST_OBJECTS = 10;
/** Lists and alternatives in a row, too. */
const DEEPEST = 100;

/**
 * The strict form of a schema. Strict mode wants every property there and no others: an optional one becomes required
 * and may be null, with its own type; whoever reads the answer takes such a null for absent. `oneOf` becomes `anyOf`;
 * defaults, bounds that strict mode does not know, and notes beside a reference are left out. What has no strict form is
 * refused, with its place: a map, a tuple, a condition, more than strict mode reads.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function toStrictSchema(schema: JsonObject): StrictSchema {
  if (schema.type !== "object" || schema.anyOf !== undefined || schema.oneOf !== undefined) {
    return { refused: "the root is not an object" };
  }
  const form: Form = { changes: [], properties: 0 };
  try {
    return { schema: strictAt(schema, ROOT, form), changes: form.changes };
  } catch (error) {
    if (error instanceof NoStrictForm) return { refused: error.message };
    throw error;
  }
}

class NoStrictForm extends Error {}

/** What has been found so far. */
interface Form {
  readonly changes: string[];
  properties: number;
}

/** Where a schema stands: in how many objects, and in how many schemas of all kinds. */
interface Place {
  readonly path: string;
  readonly objects: number;
  readonly depth: number;
}

const ROOT: Place = { path: "", objects: 0, depth: 0 };

type Open = { [key: string]: JsonValue };

function strictAt(schema: JsonValue | undefined, at: Place, form: Form): JsonObject {
  const place = nameOf(at);
  if (!isJsonObject(schema)) throw new NoStrictForm(`${place} is no schema`);
  if (at.objects > MOST_OBJECTS || at.depth > DEEPEST) throw new NoStrictForm(`${place} is nested too deeply`);
  const refused = REFUSED.find((keyword) => Object.hasOwn(schema, keyword));
  if (refused !== undefined) throw new NoStrictForm(`${place} uses ${refused}`);
  const strict = withoutDefault(schema, place, form.changes);
  if (strict.$ref !== undefined) return reference(strict, place, form.changes);
  leaveOut(strict, place, form.changes);
  if (strict.oneOf !== undefined) renameOneOf(strict, place, form.changes);
  if (isObjectSchema(strict)) strictObject(strict, at, form);
  if (strict.items !== undefined) strict.items = strictAt(strict.items, inner(at, `${at.path}[]`), form);
  if (Array.isArray(strict.anyOf)) {
    strict.anyOf = strict.anyOf.map((one, nr) => strictAt(one, inner(at, join(at.path, `anyOf[${nr}]`)), form));
  }
  strictDefinitions(strict, form);
  return strict;
}

function withoutDefault({ default: preset, ...strict }: JsonObject, place: string, changes: string[]): Open {
  if (preset !== undefined) changes.push(`${place} has no default`);
  return strict as Open;
}

/** @see https://github.com/camel-ai/camel/issues/3001 */
function reference(schema: Open, place: string, changes: string[]): JsonObject {
  const more = Object.keys(schema).filter((keyword) => keyword !== "$ref");
  const constraint = more.find((keyword) => !NOTES.has(keyword));
  if (constraint !== undefined) throw new NoStrictForm(`${place} uses ${constraint} beside $ref`);
  if (more.length > 0) changes.push(`${place} has no ${more.join(" and ")} beside $ref`);
  return { $ref: schema.$ref as JsonValue };
}

function leaveOut(schema: Open, place: string, changes: string[]): void {
  for (const keyword of LEFT_OUT) {
    if (!Object.hasOwn(schema, keyword)) continue;
    delete schema[keyword];
    changes.push(`${place} has no ${keyword}`);
  }
}

function renameOneOf(schema: Open, place: string, changes: string[]): void {
  if (schema.anyOf !== undefined) throw new NoStrictForm(`${place} uses oneOf beside anyOf`);
  schema.anyOf = schema.oneOf as JsonValue;
  delete schema.oneOf;
  changes.push(`${place} has anyOf for oneOf`);
}

function strictDefinitions(schema: Open, form: Form): void {
  for (const definitions of ["$defs", "definitions"] as const) {
    const named = schema[definitions];
    if (!isJsonObject(named)) continue;
    schema[definitions] = mapValues(named, (one, name) =>
      strictAt(one, { ...ROOT, path: `${definitions}.${name}` }, form),
    );
  }
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isJsonObject(properties);
}

function strictObject(schema: Open, at: Place, form: Form): void {
  const place = nameOf(at);
  const { additionalProperties: more, properties } = schema;
  if (more !== undefined && more !== false) throw new NoStrictForm(`${place} allows additional properties`);
  // With none named and none forbidden, any may be there.
  if (properties === undefined && more === undefined) throw new NoStrictForm(`${place} names no properties`);
  if (properties !== undefined && !isJsonObject(properties)) throw new NoStrictForm(`${place} has no properties`);
  if (more === undefined) form.changes.push(`${place} allows no additional properties`);
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const named = properties ?? {};
  form.properties += Object.keys(named).length;
  if (form.properties > MOST_PROPERTIES) throw new NoStrictForm(`there are more than ${MOST_PROPERTIES} properties`);
  schema.properties = mapValues(named, (one, name) => {
    const place = { ...inner(at, join(at.path, name)), objects: at.objects + 1 };
    const strict = strictAt(one, place, form);
    if (required.has(name)) return strict;
    form.changes.push(`${place.path} is null where it would be absent`);
    return nullable(strict);
  });
  schema.required = Object.keys(named);
  schema.additionalProperties = false;
}

function mapValues(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function inner({ objects, depth }: Place, path: string): Place {
  return { path, objects, depth: depth + 1 };
}

function nameOf({ path }: Place): string {
  return path === "" ? "the root" : path;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
