import type { JsonSchema, JsonValue } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { checkWithSchema } from "../schema-validator.js";

/** Which variant of a union an answer is: its place in `anyOf` or `oneOf`. Nothing when the schema is no union. */
export async function matchingVariant(
  run: LiveRun,
  variants: readonly JsonSchema[] | undefined,
  value: JsonValue,
): Promise<number | undefined> {
  for (const [index, variant] of (variants ?? []).entries()) {
    const checked = await checkWithSchema(run.definition, variant, value);
    if (checked.ok) return index;
  }
  return undefined;
}
