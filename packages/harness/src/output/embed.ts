import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "@tinyagents/core";

/** A schema that stands below another's root, and the definitions that must stand at that root for it. */
export interface Embedded {
  readonly schema: JsonSchema;
  readonly definitions: { readonly $defs?: JsonObject };
}

/** Makes a schema fit to stand at `pointer` of another: its references to its own root lead there. */
export function embed(schema: JsonSchema, pointer: string): Embedded {
  const { $defs, $id: _id, $schema: _dialect, ...bare } = schema;
  return {
    schema: relocated(bare, pointer) as JsonSchema,
    definitions: isJsonObject($defs) ? { $defs: relocated($defs, pointer) as JsonObject } : {},
  };
}

/** A schema for each variant of a union, in its order; nothing for a schema that is no union. Made once per agent. */
export function variantsOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  const keyword = Array.isArray(schema.anyOf) ? "anyOf" : "oneOf";
  const variants = schema[keyword];
  if (!Array.isArray(variants)) return undefined;
  const { definitions } = embed(schema, "");
  let name = "union";
  while (Object.hasOwn(definitions.$defs ?? {}, name)) name += "_";
  const union = embed(schema, `#/$defs/${name}`);
  const $defs = { ...union.definitions.$defs, [name]: union.schema };
  return variants.map((_, index) => ({ $ref: `#/$defs/${name}/${keyword}/${index}`, $defs }));
}

function relocated(value: JsonValue, pointer: string): JsonValue {
  if (Array.isArray(value)) return value.map((entry: JsonValue) => relocated(entry, pointer));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [
      key,
      key === "$ref" && typeof entry === "string" ? relocatedRef(entry, pointer) : relocated(entry, pointer),
    ]),
  );
}

function relocatedRef(ref: string, pointer: string): string {
  const toOwnRoot = ref === "#" || (ref.startsWith("#/") && !ref.startsWith("#/$defs/"));
  return toOwnRoot ? `${pointer}${ref.slice(1)}` : ref;
}
