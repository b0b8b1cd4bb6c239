import type { JsonValue } from "@tinyagents/core";

/** The JSON text of arguments. Some servers send the object itself. */
export function argsText(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A text, or none. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}
