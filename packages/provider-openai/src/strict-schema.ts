import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

/** Keywords that strict mode refuses. */
const REFUSED = [
  "allOf",
  "oneOf",
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
 * The first place where a schema is not what strict mode takes, with the reason; nothing when it is.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function strictViolation(schema: JsonObject): string | undefined {
  if (schema.type !== "object") return "the root is not an object";
  return violationAt(schema, "");
}

function violationAt(schema: JsonValue | undefined, path: string): string | undefined {
  const place = path === "" ? "the root" : path;
  if (!isJsonObject(schema)) return `${place} is no schema`;
  const refused = REFUSED.find((keyword) => Object.hasOwn(schema, keyword));
  if (refused !== undefined) return `${place} uses ${refused}`;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const isObject = schema.type === "object" || (Array.isArray(schema.type) && schema.type.includes("object"));
  if (isObject || Object.keys(properties).length > 0) {
    if (schema.additionalProperties !== false) return `${place} allows additional properties`;
    const required = Array.isArray(schema.required) ? schema.required : [];
    const optional = Object.keys(properties).find((name) => !required.includes(name));
    if (optional !== undefined) return `${join(path, optional)} is optional`;
  }
  return firstViolation([
    ...Object.entries(properties).map(([name, inner]) => [inner, join(path, name)] as const),
    ...(schema.items === undefined ? [] : [[schema.items, `${path}[]`] as const]),
    ...(Array.isArray(schema.anyOf)
      ? schema.anyOf.map((inner, at) => [inner, join(path, `anyOf[${at}]`)] as const)
      : []),
    ...(isJsonObject(schema.$defs) ? Object.entries(schema.$defs) : []).map(
      ([name, inner]) => [inner, `$defs.${name}`] as const,
    ),
  ]);
}

function firstViolation(inner: readonly (readonly [JsonValue, string])[]): string | undefined {
  for (const [schema, path] of inner) {
    const violation = violationAt(schema, path);
    if (violation !== undefined) return violation;
  }
  return undefined;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
