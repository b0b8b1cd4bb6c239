import {
  type ArgumentIssue,
  type JsonSchema,
  messageOf,
  type SchemaValidator,
  TinyAgentsError,
} from "@tinyagents/core";
import type { AgentDefinition } from "./definition.js";

type Check = (value: unknown) => readonly ArgumentIssue[];

let platformValidator: Promise<SchemaValidator> | undefined;

/**
 * The check for a schema, compiled once per agent. Loads a validator on the first schema that needs one. `tool`: whose
 * schema it is; nothing for that of the structured answer.
 * @throws `tool_schema_invalid` or, for the structured answer, `invalid_request` when the schema cannot be compiled.
 */
export function schemaCheck(
  definition: AgentDefinition,
  schema: JsonSchema,
  tool: string | undefined,
): Check | Promise<Check> {
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
