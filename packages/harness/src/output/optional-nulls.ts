import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@tinyagents/core";

/**
 * A value without the nulls that stand for something absent: of a property that the schema neither requires nor allows
 * to be null. Strict mode has a model write them. The value itself is left alone.
 */
export function withoutOptionalNulls(schema: JsonSchema, value: JsonValue): JsonValue {
  return clean(schema, value, schema);
}

function clean(at: JsonValue | undefined, value: JsonValue, root: JsonSchema): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  const schema = schemaFor(at, value, root);
  if (schema === undefined) return value;
  return isJsonObject(value) ? cleanObject(schema, value, root) : cleanList(schema, value, root);
}

function cleanObject(schema: JsonObject, value: JsonObject, root: JsonSchema): JsonObject {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const entries = Object.entries(value);
  const kept = entries
    .filter(([key, entry]) => {
      if (entry !== null || required.includes(key) || !Object.hasOwn(properties, key)) return true;
      return takesNull(properties[key], root);
    })
    .map(([key, entry]): [string, JsonValue] => {
      const inner = Object.hasOwn(properties, key) ? properties[key] : schema.additionalProperties;
      return [key, clean(inner, entry, root)];
    });
  const same = kept.length === entries.length && kept.every(([, entry], place) => entry === entries[place]?.[1]);
  return same ? value : Object.fromEntries(kept);
}

function cleanList(schema: JsonObject, value: readonly JsonValue[], root: JsonSchema): readonly JsonValue[] {
  const cleaned = value.map((entry) => clean(schema.items, entry, root));
  return cleaned.every((entry, place) => entry === value[place]) ? value : cleaned;
}

/**
 * The schema that speaks of a value: behind references, and of alternatives the one that the value fits; sooner one that
 * knows all its properties.
 */
function schemaFor(
  at: JsonValue | undefined,
  value: JsonObject | readonly JsonValue[],
  root: JsonSchema,
): JsonObject | undefined {
  const alternatives = alternativesOf(at, root);
  const fitting = alternatives.length === 1 ? alternatives : alternatives.filter((one) => mayFit(one, value, root));
  return fitting.find(({ properties }) => knowsAll(properties, value)) ?? fitting[0];
}

function knowsAll(properties: JsonValue | undefined, value: JsonObject | readonly JsonValue[]): boolean {
  return isJsonObject(properties) && Object.keys(value).every((key) => Object.hasOwn(properties, key));
}

/** A schema, or those that it leaves the choice of, however deep they stand in one another. */
function alternativesOf(at: JsonValue | undefined, root: JsonSchema): readonly JsonObject[] {
  const found: JsonObject[] = [];
  const open: (JsonValue | undefined)[] = [at];
  const seen = new Set<JsonObject>();
  for (let next = 0; next < open.length; next++) {
    const schema = resolved(open[next], root);
    if (schema === undefined || seen.has(schema)) continue;
    seen.add(schema);
    const inner = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(inner)) open.push(...(inner as readonly JsonValue[]));
    else found.push(schema);
  }
  return found;
}

/** Whether the marks that tell alternatives apart agree: the kind of value, what must be there, and constants. */
function mayFit(schema: JsonObject, value: JsonObject | readonly JsonValue[], root: JsonSchema): boolean {
  if (!isJsonObject(value)) return schema.type === "array";
  if (schema.type !== undefined && schema.type !== "object") return false;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  if (!required.every((key) => typeof key === "string" && Object.hasOwn(value, key))) return false;
  return Object.entries(properties).every(([key, inner]) => {
    const marked = resolved(inner, root);
    if (!Object.hasOwn(value, key) || marked === undefined) return true;
    if (marked.const !== undefined) return marked.const === value[key];
    return !Array.isArray(marked.enum) || value[key] === null || marked.enum.includes(value[key]);
  });
}

function takesNull(at: JsonValue | undefined, root: JsonSchema): boolean {
  if (resolved(at, root) === undefined) return true;
  return alternativesOf(at, root).some(({ type, enum: values, const: only }) => {
    if (Array.isArray(values)) return values.includes(null);
    if (only !== undefined) return only === null;
    return type === undefined || type === "null" || (Array.isArray(type) && type.includes("null"));
  });
}

/** References in a row that are followed: one that leads to itself must end. */
const MOST_REFERENCES = 16;

/** A schema, behind references into the same document. Nothing for what cannot be known. */
function resolved(at: JsonValue | undefined, root: JsonSchema): JsonObject | undefined {
  let found = at;
  for (let followed = 0; followed < MOST_REFERENCES; followed++) {
    if (!isJsonObject(found)) return undefined;
    if (typeof found.$ref !== "string") return found;
    found = target(found.$ref, root);
  }
  return undefined;
}

function target(reference: string, root: JsonSchema): JsonValue | undefined {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: JsonValue | undefined = root;
  for (const key of reference.slice(2).split("/")) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(found)) found = found[Number(name)];
    else found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}
