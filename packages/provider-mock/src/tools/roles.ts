import { isJsonObject, type JsonObject, type JsonValue, type ToolDeclaration } from "@tinyagents/core";
import { type Operator, operatorOf } from "../math/operators.js";
import { nameWords, stem, stems } from "../text/words.js";
import { CHANGING, EXPRESSION, FILES, LISTING, PATH, PATTERN, QUERY, READING, SEARCHING } from "./names.js";

/** What a tool is good for, as far as its declaration tells. `param` is where the one argument goes. */
export type ToolRole =
  /** Takes a formula as text. */
  | { readonly type: "calculate"; readonly tool: ToolDeclaration; readonly param: string }
  /** Does one operation on numbers: the names of two arguments, or of one that is a list. */
  | {
      readonly type: "operation";
      readonly tool: ToolDeclaration;
      readonly operator: Operator;
      readonly params: readonly string[];
      /** The argument that says which operation it is, where the tool does several. */
      readonly choice?: { readonly param: string; readonly value: JsonValue };
    }
  | { readonly type: "search"; readonly tool: ToolDeclaration; readonly param: string; readonly phrase: boolean }
  | { readonly type: "read"; readonly tool: ToolDeclaration; readonly param: string }
  | { readonly type: "list"; readonly tool: ToolDeclaration }
  | { readonly type: "other"; readonly tool: ToolDeclaration };

/** A tool role of one kind. */
export type RoleOf<T extends ToolRole["type"]> = Extract<ToolRole, { readonly type: T }>;

/** Says what a tool is good for. A tool may have several roles: a calculator that knows four operations has four. */
export function rolesOf(tool: ToolDeclaration): readonly ToolRole[] {
  const name = nameWords(tool.name).join(" ");
  const said = `${name}. ${tool.description}`;
  const needed = requiredOf(tool.inputSchema);
  const only = (param: string): boolean => needed.every((each) => each === param);
  const text = Object.entries(propertiesOf(tool.inputSchema)).filter(([, schema]) => typeOf(schema) === "string");
  const find = (pattern: RegExp): string | undefined => text.find(([key]) => pattern.test(key) && only(key))?.[0];

  const formula = find(EXPRESSION);
  if (formula !== undefined) return [{ type: "calculate", tool, param: formula }];
  const operations = operationsOf(tool, said);
  if (operations.length > 0) return operations;
  if (!CHANGING.test(name)) {
    const phrase = find(PATTERN);
    const query = phrase ?? find(QUERY);
    if (query !== undefined && SEARCHING.test(said))
      return [{ type: "search", tool, param: query, phrase: phrase !== undefined }];
    const path = find(PATH);
    if (path !== undefined && needed.length > 0 && READING.test(said)) return [{ type: "read", tool, param: path }];
    if (needed.length === 0 && LISTING.test(said) && FILES.test(said)) return [{ type: "list", tool }];
  }
  return [{ type: "other", tool }];
}

/** The first tool with a role. */
export function firstRole<T extends ToolRole["type"]>(roles: readonly ToolRole[], type: T): RoleOf<T> | undefined {
  return roles.find((role): role is RoleOf<T> => role.type === type);
}

/** How many of the words that the question has are in the tool's name and description. */
export function sharedWords(
  tool: ToolDeclaration,
  asked: readonly string[],
): { readonly name: number; readonly all: number } {
  const inName = new Set(nameWords(tool.name).map(stem));
  const inAll = new Set([...inName, ...stems(tool.description)]);
  const wanted = asked.map(stem);
  return {
    name: wanted.filter((word) => inName.has(word)).length,
    all: wanted.filter((word) => inAll.has(word)).length,
  };
}

/** Whether the name of a tool says that it changes something. */
export function changesSomething(tool: ToolDeclaration): boolean {
  return CHANGING.test(nameWords(tool.name).join(" "));
}

export function propertiesOf(schema: JsonObject): { readonly [key: string]: JsonObject } {
  if (!isJsonObject(schema.properties)) return {};
  return Object.fromEntries(
    Object.entries(schema.properties).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])),
  );
}

export function requiredOf(schema: JsonObject): readonly string[] {
  return Array.isArray(schema.required) ? schema.required.filter((each) => typeof each === "string") : [];
}

/** The type of a schema; of several, the first that is not `null`. */
export function typeOf(schema: JsonObject): string | undefined {
  if (typeof schema.type === "string") return schema.type;
  if (Array.isArray(schema.type))
    return schema.type.find((each): each is string => typeof each === "string" && each !== "null");
  const variants = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(variants)) return undefined;
  return variants
    .filter(isJsonObject)
    .map(typeOf)
    .find((type) => type !== undefined && type !== "null");
}

function operationsOf(tool: ToolDeclaration, said: string): readonly RoleOf<"operation">[] {
  const properties = propertiesOf(tool.inputSchema);
  const needed = requiredOf(tool.inputSchema);
  const params = needed.filter((key) => isNumber(properties[key]) || isNumberList(properties[key]));
  const others = needed.filter((key) => !params.includes(key));
  const lists = params.filter((key) => isNumberList(properties[key]));
  if (!(params.length === 2 && lists.length === 0) && !(params.length === 1 && lists.length === 1)) return [];
  if (others.length === 0) {
    const operator = operatorOf(nameWords(tool.name)) ?? operatorOf(nameWords(said));
    return operator === undefined ? [] : [{ type: "operation", tool, operator, params }];
  }
  const [param, ...more] = others;
  const choices = param === undefined || more.length > 0 ? undefined : properties[param]?.enum;
  if (param === undefined || !Array.isArray(choices)) return [];
  return choices.flatMap((value) => {
    const operator = operatorOf([String(value)]);
    return operator === undefined
      ? []
      : [{ type: "operation" as const, tool, operator, params, choice: { param, value } }];
  });
}

function isNumber(schema: JsonObject | undefined): boolean {
  const type = schema === undefined ? undefined : typeOf(schema);
  return type === "number" || type === "integer";
}

function isNumberList(schema: JsonObject | undefined): boolean {
  return schema !== undefined && typeOf(schema) === "array" && isJsonObject(schema.items) && isNumber(schema.items);
}
