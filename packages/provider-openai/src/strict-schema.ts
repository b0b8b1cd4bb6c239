import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

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

/**
 * The strict form of a schema. Strict mode wants every property there and no others: an optional one becomes required
 * and may be null, with its own type; whoever reads the answer takes such a null for absent. `oneOf` becomes `anyOf`,
 * and defaults are left out. What has no strict form is refused, with its place: a map, a tuple, a condition.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function toStrictSchema(schema: JsonObject): StrictSchema {
  if (schema.type !== "object" || schema.anyOf !== undefined || schema.oneOf !== undefined) {
    return { refused: "the root is not an object" };
  }
  const changes: string[] = [];
  try {
    return { schema: strictAt(schema, "", changes), changes };
  } catch (error) {
    if (error instanceof NoStrictForm) return { refused: error.message };
    throw error;
  }
}

class NoStrictForm extends Error {}

function strictAt(schema: JsonValue | undefined, path: string, changes: string[]): JsonObject {
  const place = path === "" ? "the root" : path;
  if (!isJsonObject(schema)) throw new NoStrictForm(`${place} is no schema`);
  const refused = REFUSED.find((keyword) => Object.hasOwn(schema, keyword));
  if (refused !== undefined) throw new NoStrictForm(`${place} uses ${refused}`);
  const { oneOf, default: preset, ...strict } = schema as { [key: string]: JsonValue };
  if (preset !== undefined) changes.push(`${place} has no default`);
  if (oneOf !== undefined) {
    if (strict.anyOf !== undefined) throw new NoStrictForm(`${place} uses oneOf beside anyOf`);
    strict.anyOf = oneOf;
    changes.push(`${place} has anyOf for oneOf`);
  }
  if (isObjectSchema(strict)) strictObject(strict, path, changes);
  if (strict.items !== undefined) strict.items = strictAt(strict.items, `${path}[]`, changes);
  if (Array.isArray(strict.anyOf)) {
    strict.anyOf = strict.anyOf.map((inner, at) => strictAt(inner, join(path, `anyOf[${at}]`), changes));
  }
  for (const definitions of ["$defs", "definitions"] as const) {
    const inner = strict[definitions];
    if (!isJsonObject(inner)) continue;
    strict[definitions] = mapValues(inner, (one, name) => strictAt(one, `${definitions}.${name}`, changes));
  }
  return strict;
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isJsonObject(properties);
}

function strictObject(schema: { [key: string]: JsonValue }, path: string, changes: string[]): void {
  const place = path === "" ? "the root" : path;
  const { additionalProperties: more, properties = {} } = schema;
  if (more !== undefined && more !== false) throw new NoStrictForm(`${place} allows additional properties`);
  if (!isJsonObject(properties)) throw new NoStrictForm(`${place} has no properties`);
  if (more === undefined) changes.push(`${place} allows no additional properties`);
  const required = Array.isArray(schema.required) ? schema.required : [];
  schema.properties = mapValues(properties, (inner, name) => {
    const at = join(path, name);
    const strict = strictAt(inner, at, changes);
    if (required.includes(name)) return strict;
    changes.push(`${at} is null where it would be absent`);
    return nullable(strict);
  });
  schema.required = Object.keys(properties);
  schema.additionalProperties = false;
}

/** The same schema, and null. */
function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    return anyOf.some(takesNull) ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
  }
  if (type === undefined || schema.$ref !== undefined || schema.const !== undefined) {
    return { anyOf: [schema, { type: "null" }] };
  }
  if (takesNull(schema)) return schema;
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...schema, type: [...(Array.isArray(type) ? type : [type]), "null"], ...values };
}

function takesNull(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return false;
  return schema.type === "null" || (Array.isArray(schema.type) && schema.type.includes("null"));
}

function mapValues(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]));
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
