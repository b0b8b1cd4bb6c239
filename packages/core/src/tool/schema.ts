import { boundedText } from "../bounded-text.js";
import { type ArgumentIssue, messageOf } from "../errors.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { isThenable } from "../thenable.js";

/** A JSON Schema (draft 2020-12), as data. */
export type JsonSchema = JsonObject;

/**
 * The part of Standard Schema that is used here, written by hand so that core depends on nothing.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    /** Checks a value, at once or later. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** @see https://standardschema.dev/json-schema */
    readonly jsonSchema?: {
      /** The JSON Schema of what is taken. */
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      /** The JSON Schema of what is given. */
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

/** What validation gives. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that validation found wrong. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema of either kind validates to. A JSON Schema says nothing to the compiler. */
export type SchemaOutput<S> = S extends { readonly "~standard": { readonly types?: infer T | undefined } }
  ? NonNullable<T> extends { readonly output: infer Output }
    ? Output
    : unknown
  : JsonObject;

/** What a schema of either kind takes. A JSON Schema says nothing to the compiler. */
export type SchemaInput<S> = S extends { readonly "~standard": { readonly types?: infer T | undefined } }
  ? NonNullable<T> extends { readonly input: infer Input }
    ? Input
    : unknown
  : JsonObject;

/** What came of a check. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };

/** Checks values against JSON Schemas, where a schema has no `validate` of its own. */
export interface SchemaValidator {
  /**
   * Compiles a schema once; the result checks any number of values and changes none.
   * @throws TypeError when the schema itself is wrong.
   */
  compile(schema: JsonSchema): (value: unknown) => readonly ArgumentIssue[];
}

/** Whether this is a Standard Schema. */
export function isStandardSchema(schema: unknown): schema is StandardSchema {
  const type = typeof schema;
  return (
    (type === "object" || type === "function") &&
    schema !== null &&
    typeof (schema as Partial<StandardSchema>)["~standard"]?.validate === "function"
  );
}

/** Checks a value with a Standard Schema. Synchronous when the schema is. */
export function checkStandard(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  const result = schema["~standard"].validate(value);
  // Not every promise is one of this realm's: a thenable would otherwise be a result without issues.
  return isThenable(result) ? Promise.resolve(result).then(toChecked) : toChecked(result);
}

/**
 * The JSON Schema of a schema of either kind: for a Standard Schema the form that it takes (`input`) or gives. `place`
 * stands in the error.
 * @throws TypeError when a Standard Schema cannot say it, and for an object of Standard Schemas.
 */
export function toJsonSchema(
  schema: StandardSchema | JsonSchema,
  side: "input" | "output" = "input",
  place = "toJsonSchema",
): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (isJsonObject(schema) && Object.values(schema).some(isStandardSchema)) {
      throw new TypeError(`${place}: an object of schemas is no schema; wrap it: z.object({...})`);
    }
    return schema;
  }
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw noJsonSchema(place, vendor, `use a version of ${vendor} that supports it`);
  }
  let given: JsonSchema & { readonly $schema?: string };
  try {
    given = jsonSchema[side]({ target: "draft-2020-12" }) as JsonSchema & { readonly $schema?: string };
  } catch (cause) {
    throw noJsonSchema(place, vendor, messageOf(cause), cause);
  }
  const { $schema: _, ...plain } = given;
  return plain;
}

function noJsonSchema(place: string, vendor: string, reason: string, cause?: unknown): TypeError {
  return new TypeError(
    `${place}: this ${vendor} schema cannot be turned into JSON Schema (${reason}). Hand in the JSON Schema beside it: \`inputSchema\` of a tool, \`jsonSchema\` of an agent's output; or in its place.`,
    { cause },
  );
}

function toChecked(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.slice(0, MOST_ISSUES).map(toIssue) };
}

/** A model cannot use more, and they stand in errors and events. */
const MOST_ISSUES = 100;
const LONGEST_ISSUE = 500;

function toIssue({ message, path }: StandardIssue): ArgumentIssue {
  const said: unknown = message;
  return {
    message: typeof said === "string" ? boundedText(said, LONGEST_ISSUE) : "does not fit",
    path: boundedText(pathText(path ?? []), LONGEST_ISSUE),
  };
}

function pathText(path: NonNullable<StandardIssue["path"]>): string {
  let text = "";
  for (const step of path) {
    const key = typeof step === "object" ? step.key : step;
    if (typeof key === "number") text += `[${key}]`;
    else text += text === "" ? String(key) : `.${String(key)}`;
  }
  return text;
}
