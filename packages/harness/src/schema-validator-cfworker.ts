import { dereference, type OutputUnit, type Schema, Validator } from "@cfworker/json-schema";
import { type ArgumentIssue, isJsonObject, type JsonSchema, type SchemaValidator } from "@tinyagents/core";
import { pathOfPointer } from "./json-pointer.js";

/** JSON Schema validation without code generation: for workers and browsers that forbid it. */
export function schemaValidator(): SchemaValidator {
  return {
    compile(schema) {
      // A copy, since the validator writes notes into the schema that it is given.
      const own = JSON.parse(JSON.stringify(schema)) as Schema;
      refuseBroken(own);
      const validator = new Validator(own, "2020-12", false);
      return (value) => {
        const { errors } = validator.validate(value);
        return errors.filter((error) => !isRepeatedBelow(error, errors)).map(toIssue);
      };
    },
  };
}

const TYPES: ReadonlySet<unknown> = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The validator finds such mistakes when a value comes past them, or never. @throws TypeError */
function refuseBroken(schema: Schema): void {
  const places = dereference(schema);
  for (const part of Object.values(places)) {
    if (!isJsonObject(part)) continue;
    const { __absolute_ref__: target, $ref, type, pattern, patternProperties } = part as Schema & JsonSchema;
    if (typeof target === "string" && places[target] === undefined) {
      throw new TypeError(`the schema is wrong: nothing is at the reference "${String($ref)}"`);
    }
    const unknownType = (Array.isArray(type) ? type : type === undefined ? [] : [type]).find((one) => !TYPES.has(one));
    if (unknownType !== undefined) {
      throw new TypeError(`the schema is wrong: there is no type ${JSON.stringify(unknownType)}`);
    }
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    for (const source of typeof pattern === "string" ? [pattern, ...patterns] : patterns) refusePattern(source);
  }
}

function refusePattern(source: string): void {
  try {
    new RegExp(source, "u");
  } catch (error) {
    throw new TypeError(`the schema is wrong: "${source}" is no pattern`, { cause: error });
  }
}

/** Each error is reported once more by everything around it: the innermost says it best. */
function isRepeatedBelow({ keyword, keywordLocation }: OutputUnit, all: readonly OutputUnit[]): boolean {
  if (keyword === "false") return true;
  if (keyword === "anyOf" || keyword === "oneOf" || keyword === "not") return false;
  return all.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`));
}

function toIssue({ instanceLocation, keyword, error }: OutputUnit): ArgumentIssue {
  const path = pathOfPointer(decodeURIComponent(instanceLocation));
  const named = /"(.*)"/s.exec(error)?.[1];
  if (keyword === "required" && named !== undefined) return { path, message: `must have a property "${named}"` };
  if (keyword === "additionalProperties" && named !== undefined) {
    return { path, message: `has a property "${named}" that it must not have` };
  }
  return { path, message: error };
}
