import { isTinyAgentsError, messageOf, TinyAgentsError } from "../errors.js";
import { isJsonObject, type JsonObject } from "../json.js";
import { type ToolFormatOption, toolFormat } from "./format.js";
import { checkPolicy, type ToolPolicy } from "./policy.js";
import type { ToolRuntime } from "./runtime.js";
import {
  type Checked,
  checkStandard,
  isStandardSchema,
  type JsonSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
  toJsonSchema,
} from "./schema.js";
import type { ToolSpec } from "./spec.js";

/** A tool of any input and output, as lists of tools hold it. */
export interface AnyTool {
  readonly spec: ToolSpec;
  /** Checks arguments with the tool's own schema. Absent: by `spec.inputSchema`, with the run's `SchemaValidator`. */
  readonly check: ((args: JsonObject) => Checked | Promise<Checked>) | undefined;
  /** Checks what `execute` returned, the same way. */
  readonly checkOutput: ((value: unknown) => Checked | Promise<Checked>) | undefined;
  /** The policy for these arguments: `spec.policy`, unless the tool computes it. */
  policyFor(args: JsonObject): ToolPolicy;
  /** The values of the hidden arguments. */
  inject(runtime: ToolRuntime): JsonObject | undefined;
  /**
   * Does the work. Gives a JSON value, an outcome of `content`, `stop` or `interrupt`, or an async generator that
   * yields progress and returns one of these. A failure is thrown: the model is told its message.
   */
  execute(input: never, runtime: ToolRuntime): unknown;
}

/** A tool whose input and output the compiler knows. */
export interface Tool<Input, Output> extends AnyTool {
  execute(input: Input, runtime: ToolRuntime): Output;
}

/** What a tool is made of. */
export interface ToolOptions<S extends StandardSchema | JsonSchema, Output> {
  /** `[a-zA-Z][a-zA-Z0-9_-]{0,63}`; snake_case by custom. */
  readonly name: string;
  /** What it does and when to use it, for the model. */
  readonly description: string;
  /** A Standard Schema that can give JSON Schema (zod 4), or a JSON Schema of an object. */
  readonly input: S;
  /** The JSON Schema for the model, when `input` is a Standard Schema that cannot give one. */
  readonly inputSchema?: JsonSchema | undefined;
  /** What `execute` returns. When given, what it does return is checked, and a mismatch fails the call. */
  readonly output?: StandardSchema | JsonSchema | undefined;
  /**
   * How it may be run; a function when that depends on the arguments. It is asked at each call, with what the model gave
   * (hidden arguments are not in it), and answers at once: a call whose policy it cannot say is denied.
   */
  readonly policy?: ToolPolicy | ((args: JsonObject & SchemaInput<S>) => ToolPolicy) | undefined;
  /**
   * Fills in arguments that the model must not know. Their names are in the input schema, and are taken out of what
   * the model sees.
   */
  readonly inject?:
    | {
        /** The value of the argument of that name. */
        readonly [arg: string]: (runtime: ToolRuntime) => JsonObject[string];
      }
    | undefined;
  /** How the model calls it. Default: natively. */
  readonly format?: ToolFormatOption | undefined;
  readonly label?: string | undefined;
  readonly markdown?: boolean | undefined;
  readonly extensions?: { readonly [owner: string]: JsonObject } | undefined;
  /** See {@link AnyTool.execute}. `input` is what the schema validates to. */
  readonly execute: (input: SchemaOutput<S>, runtime: ToolRuntime) => Output;
}

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/**
 * Makes a tool. The input type comes from the schema.
 *
 * @throws `tool_schema_invalid` for a bad name or a schema that is no schema of an object; TypeError for options that
 * cannot be, and for a schema that cannot say its JSON Schema.
 */
export function tool<const S extends StandardSchema | JsonSchema, Output>(
  options: ToolOptions<S, Output>,
): Tool<SchemaOutput<S>, Output> {
  const { name, input, output, policy = {}, inject = {}, execute } = options;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw schemaError(name, "its name must match [a-zA-Z][a-zA-Z0-9_-]{0,63}");
  }
  const hiddenArgs = Object.keys(inject);
  const place = `tool "${name}"`;
  if (typeof execute !== "function") throw new TypeError(`${place}: execute: a function is expected`);
  const fullSchema = jsonSchemaOf(options, place);
  if (!isJsonObject(fullSchema) || (fullSchema.type !== undefined && fullSchema.type !== "object")) {
    throw schemaError(name, "its input schema must describe an object");
  }
  const dynamicPolicy = typeof policy === "function";
  // A copy, and not to be changed: what was checked is what holds.
  const said: ToolPolicy = Object.freeze(dynamicPolicy ? {} : { ...checkPolicy(policy, name) });
  const policyFor = dynamicPolicy ? (policy as (args: JsonObject) => ToolPolicy) : () => said;
  const inputSchema = withoutArgs(fullSchema, hiddenArgs, name);
  const format = toolFormat(options.format, name, inputSchema, `${place}: format`);
  const spec: ToolSpec = {
    name,
    description: options.description,
    inputSchema,
    hiddenArgs,
    policy: said,
    dynamicPolicy,
    ...(output === undefined ? {} : { outputSchema: toJsonSchema(output, "output", `${place}: output`) }),
    ...(format === undefined ? {} : { format }),
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.markdown === undefined ? {} : { markdown: options.markdown }),
    ...(options.extensions === undefined ? {} : { extensions: options.extensions }),
  };
  return {
    spec: Object.freeze(spec),
    check: isStandardSchema(input) ? (args) => checkStandard(input, args) : undefined,
    checkOutput: isStandardSchema(output) ? (value) => checkStandard(output, value) : undefined,
    policyFor,
    inject: (runtime) => (hiddenArgs.length === 0 ? undefined : injected(inject, runtime)),
    execute,
  };
}

function jsonSchemaOf(
  { input, inputSchema }: Pick<ToolOptions<StandardSchema | JsonSchema, unknown>, "input" | "inputSchema">,
  place: string,
): JsonSchema {
  if (inputSchema === undefined) return toJsonSchema(input, "input", `${place}: input`);
  if (isJsonObject(inputSchema) && !isStandardSchema(inputSchema)) return inputSchema;
  throw new TypeError(`${place}: inputSchema: a JSON Schema, as plain data, is expected`);
}

/**
 * Tools by name.
 * @throws `tool_schema_invalid` when two have the same name.
 */
export function toolsByName(tools: readonly AnyTool[]): ReadonlyMap<string, AnyTool> {
  const byName = new Map<string, AnyTool>();
  for (const entry of tools) {
    const { name } = entry.spec;
    if (byName.has(name)) throw schemaError(name, "another tool has the same name");
    byName.set(name, entry);
  }
  return byName;
}

/** What a failing tool tells the model, as an error. Errors of ours pass through. */
export function toolError(
  name: string,
  callId: string,
  error: unknown,
  { retryable = false }: { readonly retryable?: boolean } = {},
): TinyAgentsError {
  if (isTinyAgentsError(error)) return error;
  return new TinyAgentsError("tool_failed", `The tool ${name} failed: ${messageOf(error)}`, {
    details: { tool: name, callId },
    retryable,
    cause: error,
  });
}

function injected(inject: NonNullable<ToolOptions<JsonSchema, unknown>["inject"]>, runtime: ToolRuntime): JsonObject {
  return Object.fromEntries(Object.entries(inject).map(([arg, value]) => [arg, value(runtime)]));
}

function withoutArgs(schema: JsonSchema, hidden: readonly string[], tool: string): JsonSchema {
  if (hidden.length === 0) return schema;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  for (const arg of hidden) {
    if (!Object.hasOwn(properties, arg))
      throw schemaError(tool, `it injects "${arg}", which its input schema does not have`);
  }
  const visible = Object.fromEntries(Object.entries(properties).filter(([arg]) => !hidden.includes(arg)));
  const required = Array.isArray(schema.required)
    ? schema.required.filter((arg) => !hidden.includes(String(arg)))
    : undefined;
  return { ...schema, properties: visible, ...(required === undefined ? {} : { required }) };
}

function schemaError(tool: string, reason: string): TinyAgentsError<"tool_schema_invalid"> {
  return new TinyAgentsError("tool_schema_invalid", `The tool "${tool}" cannot be used: ${reason}.`, {
    details: { tool, reason },
  });
}
