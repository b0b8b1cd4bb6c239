import { type Schema, Validator } from "@cfworker/json-schema";
import type { ArgumentIssue, SchemaValidator } from "@tinyagents/core";
import { pathOfPointer } from "./json-pointer.js";

/** JSON Schema validation without code generation: for workers and browsers that forbid it. */
export function schemaValidator(): SchemaValidator {
  return {
    compile(schema) {
      const validator = new Validator(schema as Schema, "2020-12", false);
      return (value) =>
        validator.validate(value).errors.map(
          ({ instanceLocation, error }): ArgumentIssue => ({
            path: pathOfPointer(decodeURIComponent(instanceLocation)),
            message: error,
          }),
        );
    },
  };
}
