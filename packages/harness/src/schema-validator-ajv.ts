import type { ArgumentIssue, SchemaValidator } from "@tinyagents/core";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { pathOfPointer } from "./json-pointer.js";

/** JSON Schema validation by ajv: it generates code, so it is for platforms that allow that. */
export function schemaValidator(): SchemaValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return {
    compile(schema) {
      const validate = ajv.compile(schema);
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
