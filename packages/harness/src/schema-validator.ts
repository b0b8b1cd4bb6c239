import type { ArgumentIssue, JsonSchema, SchemaValidator } from "@tinyagents/core";
import type { AgentDefinition } from "./definition.js";

type Check = (value: unknown) => readonly ArgumentIssue[];

let platformValidator: Promise<SchemaValidator> | undefined;

/** The check for a schema, compiled once per agent. Loads a validator on the first schema that needs one. */
export function schemaCheck(definition: AgentDefinition, schema: JsonSchema): Check | Promise<Check> {
  const known = definition.compiled.get(schema);
  if (known !== undefined) return known;
  const compile = (validator: SchemaValidator): Check => {
    const check = validator.compile(schema);
    definition.compiled.set(schema, check);
    return check;
  };
  if (definition.schemaValidator !== undefined) return compile(definition.schemaValidator);
  platformValidator ??= import("#schema-validator").then(({ schemaValidator }) => schemaValidator());
  return platformValidator.then(compile);
}
