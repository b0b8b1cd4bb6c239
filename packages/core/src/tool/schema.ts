import type { ArgumentIssue } from "../errors.js";
import type { JsonObject } from "../json.js";

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
  return result instanceof Promise ? result.then(toChecked) : toChecked(result);
}

/**
 * The JSON Schema of a schema of either kind: for a Standard Schema the form that it takes (`input`) or gives.
 * @throws TypeError when a Standard Schema cannot say it.
 */
export function toJsonSchema(schema: StandardSchema | JsonSchema, side: "input" | "output" = "input"): JsonSchema {
  if (!isStandardSchema(schema)) return schema;
  const { jsonSchema, vendor } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw new TypeError(
      `This ${vendor} schema cannot be turned into JSON Schema. Use a version of ${vendor} that supports it, or give the JSON Schema beside it.`,
    );
  }
  const { $schema: _, ...plain } = jsonSchema[side]({ target: "draft-2020-12" }) as JsonSchema & { $schema?: string };
  return plain;
}

function toChecked(result: StandardResult<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(({ message, path }) => ({ message, path: pathText(path ?? []) })) };
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
