import { type JsonObject, type ModelWarning, oncePer, type ResponseFormat } from "@tinyagents/core";
import { toStrictSchema } from "./strict-schema.js";

/** What goes on the wire, and what could not be said there. */
export interface PreparedRequest {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
}

/** A format as both APIs name it. */
export interface SchemaFormat {
  readonly name: string;
  readonly schema: JsonObject;
  readonly strict: boolean;
}

/**
 * A schema that the answer must follow. Where it is to be strict, it is sent in its strict form; one without such a
 * form is sent as it is, and not strict. `warnings` tell of either.
 */
export function toSchemaFormat(
  { name, schema, strict = false }: Extract<ResponseFormat, { type: "json_schema" }>,
  warnings: ModelWarning[],
): SchemaFormat {
  if (!strict) return { name, schema, strict };
  const found = strictFormOf(schema);
  if ("refused" in found) {
    const message = `The schema is sent without strict mode, which does not take it: ${found.refused}.`;
    warnings.push({ code: "changed_setting", setting: "responseFormat.strict", message });
    return { name, schema, strict: false };
  }
  if (found.changes.length > 0) {
    const message = `The schema is sent in its strict form: ${found.changes.join("; ")}.`;
    warnings.push({ code: "changed_setting", setting: "responseFormat.schema", message });
  }
  return { name, schema: found.schema, strict };
}

/** Worked out once: a schema is sent with every call of an agent. */
const strictFormOf = oncePer(toStrictSchema);
