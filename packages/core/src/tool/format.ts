import { isJsonObject } from "../json.js";
import type { JsonSchema } from "./schema.js";

/**
 * The syntax in which a model calls a tool. `native`: the provider's own. `text`: in the text of its answer, between two
 * marks; for models that cannot call tools, and for arguments that are awkward as JSON: code, queries. What is checked and
 * run is the same call either way.
 */
export type ToolFormat = { readonly type: "native" } | TextToolFormat;

/** Calls in the text of an answer. */
export interface TextToolFormat {
  readonly type: "text";
  /** What begins a call. */
  readonly open: string;
  /** What ends it. */
  readonly close: string;
  /** The one argument that stands between the marks as it is. Absent: the JSON of all arguments stands there. */
  readonly argument?: string;
}

/** A {@link ToolFormat} as it is asked for. The marks default to `<name>` and `</name>`, with the name of the tool. */
export type ToolFormatOption = { readonly type: "native" } | (Partial<TextToolFormat> & { readonly type: "text" });

/**
 * The format of a tool, in full; nothing for the native one.
 * @throws TypeError for what is none, and for an argument that cannot be all that a call has. `place` leads to it.
 */
export function toolFormat(
  option: ToolFormatOption | undefined,
  name: string,
  inputSchema: JsonSchema,
  place: string,
): TextToolFormat | undefined {
  if (option === undefined) return undefined;
  if (option?.type === "native") return undefined;
  if (option?.type !== "text") throw new TypeError(`${place}.type: "native" or "text" is expected`);
  const { open = `<${name}>`, close = `</${name}>`, argument } = option;
  for (const [field, mark] of Object.entries({ open, close })) {
    if (typeof mark !== "string" || mark.trim() === "") throw new TypeError(`${place}.${field}: a text is expected`);
  }
  if (open === close) throw new TypeError(`${place}.close: another mark than that of "open" is expected`);
  if (argument === undefined) return { type: "text", open, close };
  checkArgument(argument, inputSchema, `${place}.argument`);
  return { type: "text", open, close, argument };
}

function checkArgument(argument: string, { properties, required }: JsonSchema, place: string): void {
  if (!isJsonObject(properties) || !Object.hasOwn(properties, argument)) {
    throw new TypeError(`${place}: the input schema has no "${argument}" that the model may give`);
  }
  const other = Array.isArray(required) ? required.find((arg) => arg !== argument) : undefined;
  if (other !== undefined) throw new TypeError(`${place}: the input schema requires "${String(other)}" as well`);
}
