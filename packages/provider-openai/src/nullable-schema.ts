import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

/** A schema that takes what the given one takes, and null. */
export function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) {
    return anyOf.some(takesNull) ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
  }
  if (type === undefined || schema.$ref !== undefined || schema.const !== undefined) {
    return { anyOf: [schema, { type: "null" }] };
  }
  const values = Array.isArray(schema.enum) && !schema.enum.includes(null) ? { enum: [...schema.enum, null] } : {};
  if (takesNull(schema)) return { ...schema, ...values };
  return { ...schema, type: [...(Array.isArray(type) ? type : [type]), "null"], ...values };
}

function takesNull(schema: JsonValue): boolean {
  if (!isJsonObject(schema)) return false;
  return schema.type === "null" || (Array.isArray(schema.type) && schema.type.includes("null"));
}
