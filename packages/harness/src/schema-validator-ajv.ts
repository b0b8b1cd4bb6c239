import { type ArgumentIssue, messageOf, type SchemaValidator } from "@tinyagents/core";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { pathOfPointer } from "./json-pointer.js";

/** JSON Schema validation by ajv: it generates code, so it is for platforms that allow that. */
export function schemaValidator(): SchemaValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  addFormats.default(ajv);
  return {
    compile(schema) {
      let validate: ValidateFunction;
      try {
        validate = ajv.compile(schema);
      } catch (error) {
        throw new TypeError(`the schema is wrong: ${messageOf(error)}`, { cause: error });
      } finally {
        // ajv keeps every schema for good, and refuses a second one with the same `$id`.
        ajv.removeSchema(schema);
      }
      return (value) => (validate(value) ? NO_ISSUES : (validate.errors ?? []).map(toIssue));
    },
  };
}

const NO_ISSUES: readonly ArgumentIssue[] = [];

function toIssue(error: ErrorObject): ArgumentIssue {
  const { missingProperty, additionalProperty } = error.params as {
    missingProperty?: string;
    additionalProperty?: string;
  };
  const path = pathOfPointer(error.instancePath);
  if (additionalProperty !== undefined)
    return { path, message: `has a property "${additionalProperty}" that it must not have` };
  if (missingProperty !== undefined) return { path, message: `must have a property "${missingProperty}"` };
  return { path, message: error.message ?? error.keyword };
}
