import {
  isJsonObject,
  type JsonObject,
  type ModelProfile,
  type ModelRequest,
  type ModelWarning,
  type ResponseFormat,
  TinyAgentsError,
} from "@tinyagents/core";
import { type StrictSchema, toStrictSchema } from "./strict-schema.js";

/** What goes on the wire, and what could not be said there. */
export interface PreparedRequest {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
}

/**
 * The settings of a request that are for this provider alone.
 * @throws `invalid_request` for what is no object.
 */
export function ownOptions(
  { providerOptions }: { readonly providerOptions?: ModelRequest["providerOptions"] | undefined },
  provider: string,
): JsonObject {
  if (providerOptions === undefined || !Object.hasOwn(providerOptions, provider)) return {};
  const own: unknown = providerOptions[provider];
  if (own === undefined) return {};
  if (isJsonObject(own)) return own;
  throw new TinyAgentsError("invalid_request", `providerOptions.${provider}: an object is expected.`, {
    details: { reason: "provider_options" },
  });
}

export function nothingToSend(): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", "The request has no message with content.", {
    details: { reason: "no_messages" },
  });
}

/** A setting that was left out. */
export function unsupported({ model }: Pick<ModelProfile, "model">, setting: string): ModelWarning {
  return { code: "unsupported_setting", setting, message: `${model} does not take ${setting}; it was not sent.` };
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

const STRICT_FORMS = new WeakMap<JsonObject, StrictSchema>();

/** Worked out once: a schema is sent with every call of an agent. */
function strictFormOf(schema: JsonObject): StrictSchema {
  const known = STRICT_FORMS.get(schema);
  if (known !== undefined) return known;
  const found = toStrictSchema(schema);
  STRICT_FORMS.set(schema, found);
  return found;
}
