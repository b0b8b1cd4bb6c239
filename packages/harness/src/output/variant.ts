import { isJsonObject, type JsonSchema, type JsonValue } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { checkWithSchema } from "../tools/prepare.js";

/** Which variant of a union an answer is: its place in `anyOf` or `oneOf`. Nothing when the schema is no union. */
export async function matchingVariant(run: LiveRun, schema: JsonSchema, value: JsonValue): Promise<number | undefined> {
  const variants = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(variants)) return undefined;
  const definitions = isJsonObject(schema.$defs) ? { $defs: schema.$defs } : {};
  for (let i = 0; i < variants.length; i++) {
    const variant: unknown = variants[i];
    if (!isJsonObject(variant)) continue;
    const checked = await checkWithSchema(run, { ...definitions, ...variant }, value);
    if (checked.ok) return i;
  }
  return undefined;
}
