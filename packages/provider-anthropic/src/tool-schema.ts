import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";

/** Keywords that the server refuses at the root of a tool's schema. */
const UNIONS = ["anyOf", "oneOf", "allOf"] as const;

/**
 * A tool's schema as the server takes it: an object at the root. Alternatives there are laid over each other, and only
 * what all of them want is required; whoever runs the tool checks the arguments with the schema as it was.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
 */
export function toToolSchema(schema: JsonObject): { readonly wire: JsonObject; readonly isChanged: boolean } {
  if (!UNIONS.some((keyword) => schema[keyword] !== undefined)) {
    return { wire: { type: "object", ...schema }, isChanged: false };
  }
  const { anyOf, oneOf, allOf, ...rest } = schema;
  const choices = [anyOf, oneOf].map(objectsOf).filter((branches) => branches.length > 0);
  const together = objectsOf(allOf);
  const properties = [...choices.flatMap((branches) => branches.map(propertiesOf)), ...together.map(propertiesOf)];
  const required = [
    ...requiredOf(rest),
    ...together.flatMap(requiredOf),
    ...choices.flatMap((branches) => requiredOf(branches[0]).filter((name) => allWant(branches, name))),
  ];
  return {
    wire: {
      ...rest,
      type: "object",
      properties: laidOver([...properties, propertiesOf(rest)]),
      ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
    },
    isChanged: true,
  };
}

/** One set of properties. What two branches say differently of one may be either. */
function laidOver(all: readonly JsonObject[]): JsonObject {
  const found = new Map<string, JsonValue[]>();
  for (const properties of all) {
    for (const [name, schema] of Object.entries(properties)) {
      const known = found.get(name) ?? [];
      if (!known.some((one) => JSON.stringify(one) === JSON.stringify(schema))) found.set(name, [...known, schema]);
    }
  }
  return Object.fromEntries([...found].map(([name, [first, ...more]]) => [name, oneOrEither(first ?? {}, more)]));
}

function oneOrEither(first: JsonValue, more: readonly JsonValue[]): JsonValue {
  return more.length === 0 ? first : { anyOf: [first, ...more] };
}

function allWant(branches: readonly JsonObject[], name: string): boolean {
  return branches.every((branch) => requiredOf(branch).includes(name));
}

function requiredOf(schema: JsonObject | undefined): readonly string[] {
  const required: JsonValue | undefined = schema?.required;
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
