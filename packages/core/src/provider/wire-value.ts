import { isJsonObject, type JsonObject, type JsonValue } from "../json.js";
import { TOKEN_CLASSES, type Usage } from "../model/usage.js";

/** For adapters: a text of the wire; nothing else counts as one. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** For adapters: a list's objects. What else stands in it is no use to anybody. */
export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** For adapters: the JSON text of a call's arguments. They come as text, or as the object itself. */
export function argsText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** For adapters: a count of the wire, or nothing: one that is missing is unknown, not zero. */
export function countOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** For adapters: what a server says that it counted. What is no count is left out. */
export function reportedUsage(
  counts: { readonly [C in (typeof TOKEN_CLASSES)[number]]?: JsonValue | undefined },
): Usage {
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = { source: "reported" };
  for (const name of TOKEN_CLASSES) {
    const count = countOf(counts[name]);
    if (count !== undefined) usage[name] = count;
  }
  return usage;
}
