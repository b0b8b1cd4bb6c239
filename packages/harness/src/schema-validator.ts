import {
  type ArgumentIssue,
  type Checked,
  type JsonObject,
  type JsonSchema,
  messageOf,
  type SchemaValidator,
  TinyAgentsError,
} from "@tinyagents/core";
import type { Awaitable } from "./awaitable.js";
import type { AgentDefinition } from "./definition.js";

type Check = (value: unknown) => readonly ArgumentIssue[];

let platformValidator: Promise<SchemaValidator> | undefined;

/**
 * The check for a schema, compiled once per agent. Loads a validator on the first schema that needs one. `tool`: whose
 * schema it is; nothing for that of the structured answer.
 * @throws `tool_schema_invalid` or, for the structured answer, `invalid_request` when the schema cannot be compiled.
 */
function schemaCheck(definition: AgentDefinition, schema: JsonSchema, tool: string | undefined): Awaitable<Check> {
  const known = definition.compiled.get(schema);
  if (known !== undefined) return known;
  const compile = (validator: SchemaValidator): Check => {
    const check = compiled(validator, schema, tool);
    definition.compiled.set(schema, check);
    return check;
  };
  if (definition.schemaValidator !== undefined) return compile(definition.schemaValidator);
  platformValidator ??= import("#schema-validator").then(({ schemaValidator }) => schemaValidator());
  return platformValidator.then(compile);
}

/** Checks a value with a JSON Schema: of the named tool, or of the structured answer. */
export function checkWithSchema(
  definition: AgentDefinition,
  schema: JsonObject,
  value: unknown,
  tool?: string,
): Awaitable<Checked> {
  const check = schemaCheck(definition, schema, tool);
  if (check instanceof Promise) return check.then((ready) => toChecked(ready(value), value));
  return toChecked(check(value), value);
}

function toChecked(issues: readonly ArgumentIssue[], value: unknown): Checked {
  return issues.length === 0 ? { ok: true, value } : { ok: false, issues };
}

function compiled(validator: SchemaValidator, schema: JsonSchema, tool: string | undefined): Check {
  try {
    return validator.compile(schema);
  } catch (cause) {
    const reason = messageOf(cause);
    if (tool === undefined) {
      throw new TinyAgentsError("invalid_request", `The schema of the structured answer cannot be used: ${reason}`, {
        details: { reason },
        cause,
      });
    }
    throw new TinyAgentsError("tool_schema_invalid", `A schema of the tool "${tool}" cannot be used: ${reason}`, {
      details: { tool, reason },
      cause,
    });
  }
}
