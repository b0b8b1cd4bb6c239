import { isJsonObject, type JsonObject, type JsonValue, type ModelWarning, TinyAgentsError } from "@tinyagents/core";

/** Keywords that say something of values without restricting them, and those that the server enforces. */
const KEPT: ReadonlySet<string> = new Set([
  "$defs",
  "$ref",
  "type",
  "enum",
  "const",
  "anyOf",
  "allOf",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "description",
  "title",
  "default",
  "examples",
]);
/** Keywords that say nothing to a model. */
const SILENT: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "$anchor"]);
const FORMATS: ReadonlySet<string> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** How many places a warning names. */
const MOST_NAMED = 5;

/**
 * A schema as the server can enforce it. What it cannot is put into words in the description: the model reads it, and
 * whoever asked validates with the schema as it was. `warnings` says what was changed, and where.
 *
 * @throws `invalid_request` for a schema that refers to itself.
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations
 */
export function toOutputSchema(schema: JsonObject, warnings: ModelWarning[]): JsonObject {
  refuseRecursion(schema);
  const changes: string[] = [];
  const wire = convert(schema, "", changes);
  if (changes.length > 0) {
    const more = changes.length > MOST_NAMED ? `, and ${changes.length - MOST_NAMED} more` : "";
    const message = `Not all of the schema can be enforced: ${changes.slice(0, MOST_NAMED).join(", ")}${more}.`;
    warnings.push({ code: "changed_setting", setting: "responseFormat.schema", message });
  }
  return wire;
}

function convert(schema: JsonObject, path: string, changes: string[]): JsonObject {
  const wire: { [key: string]: JsonValue } = {};
  const said: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (SILENT.has(keyword)) continue;
    if (isEnforced(keyword, value)) wire[keyword] = convertInner(keyword, value, path, changes);
    else if (keyword === "oneOf" && Array.isArray(value)) {
      wire.anyOf = convertInner("anyOf", value, path, changes);
      changes.push(`${place(path)} oneOf as anyOf`);
    } else {
      said.push(`${keyword}: ${JSON.stringify(value)}`);
      changes.push(`${place(path)} ${keyword}`);
    }
  }
  if (isObjectSchema(schema) && schema.additionalProperties !== false) changes.push(`${place(path)} open object`);
  if (isObjectSchema(schema)) wire.additionalProperties = false;
  if (said.length > 0) {
    const { description } = schema;
    wire.description = `${typeof description === "string" ? `${description}\n\n` : ""}{${said.join(", ")}}`;
  }
  return wire;
}

function isEnforced(keyword: string, value: JsonValue): boolean {
  if (keyword === "format") return typeof value === "string" && FORMATS.has(value);
  if (keyword === "minItems") return value === 0 || value === 1;
  return KEPT.has(keyword);
}

function convertInner(keyword: string, value: JsonValue, path: string, changes: string[]): JsonValue {
  const inner = (schema: JsonValue, at: string): JsonValue =>
    isJsonObject(schema) ? convert(schema, at, changes) : schema;
  if (keyword === "properties" && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one, join(path, name))]));
  }
  if (keyword === "$defs" && isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inner(one, `$defs.${name}`)]));
  }
  if (keyword === "items") return inner(value, `${path}[]`);
  if ((keyword === "anyOf" || keyword === "allOf") && Array.isArray(value)) {
    return value.map((one: JsonValue, at) => inner(one, join(path, `${keyword}[${at}]`)));
  }
  return value;
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object")) || isJsonObject(properties);
}

function refuseRecursion(root: JsonObject): void {
  const definitions = isJsonObject(root.$defs) ? root.$defs : {};
  const visit = (value: JsonValue, open: readonly string[]): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, open);
    if (!isJsonObject(value)) return;
    for (const [keyword, inner] of Object.entries(value)) {
      if (keyword === "$ref" && typeof inner === "string") follow(inner, open);
      else if (keyword !== "$defs") visit(inner, open);
    }
  };
  const follow = (reference: string, open: readonly string[]): void => {
    if (reference === "#" || open.includes(reference)) throw recursive(reference);
    const definition = definitions[reference.replace(/^#\/\$defs\//, "")];
    if (definition !== undefined) visit(definition, [...open, reference]);
  };
  visit(root, []);
}

function recursive(reference: string): TinyAgentsError<"invalid_request"> {
  const message = `responseFormat.schema refers to itself (${reference}), which the server does not take.`;
  return new TinyAgentsError("invalid_request", message, { details: { reason: "response_format" } });
}

function place(path: string): string {
  return path === "" ? "root:" : `${path}:`;
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
