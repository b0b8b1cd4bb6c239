import type { JsonObject } from "@tinyagents/core";
import { shorten } from "../text/summarize.js";
import { keywords } from "../text/words.js";
import type { Known } from "./fill.js";

const PROSE =
  /^(?:answer|summary|text|result|response|explanation|description|reason|content|message|output|report|reply)$/i;
const TASK = /^(?:question|query|q|prompt|task|input|instructions?|request|goal|message|text|topic|search)$/i;

/** A text for an argument of this name, from what is known; nothing when nothing fits. */
export function stringFor(
  name: string,
  schema: JsonObject,
  known: Known,
  named: readonly string[],
): string | undefined {
  const { evidence, answer, question } = known;
  const fitting = (texts: readonly string[]): string | undefined => texts.find((each) => fitsString(each, schema));
  if (schema.format === "email" || /e_?mail/i.test(name)) return fitting(evidence.emails);
  if (schema.format === "uri" || /^(?:url|uri|link)$/i.test(name)) return fitting(evidence.urls);
  if (schema.format === "date" || /^date$/i.test(name)) return fitting(evidence.dates);
  const most = typeof schema.maxLength === "number" ? schema.maxLength : Number.POSITIVE_INFINITY;
  if (answer !== "" && PROSE.test(name)) return fitting([shorten(answer, most)]);
  if (TASK.test(name)) return fitting([question, shorten(question, most)].filter((each) => each !== ""));
  const found = fitting(named);
  if (found !== undefined || typeof schema.pattern !== "string") return found;
  return fitting(keywords(question).flatMap((word) => [word, word.toUpperCase()]));
}

/** Whether a text keeps to what a schema says of texts. A pattern that cannot be read allows nothing. */
export function fitsString(text: string, schema: JsonObject): boolean {
  const length = [...text].length;
  if (typeof schema.minLength === "number" && length < schema.minLength) return false;
  if (typeof schema.maxLength === "number" && length > schema.maxLength) return false;
  if (schema.format === "date" && !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  if (typeof schema.pattern !== "string") return true;
  try {
    return new RegExp(schema.pattern, "u").test(text);
  } catch {
    return false;
  }
}

/** The number nearest to the wanted one that a schema allows. */
export function numberFor(schema: JsonObject, wanted: number): number {
  const step = typeof schema.multipleOf === "number" && schema.multipleOf > 0 ? schema.multipleOf : undefined;
  const unit = step ?? (schema.type === "integer" ? 1 : undefined);
  const above = bound(schema.minimum, schema.exclusiveMinimum, unit ?? 1);
  const below = bound(schema.maximum, schema.exclusiveMaximum, -(unit ?? 1));
  let value = wanted;
  if (above !== undefined && value < above) value = above;
  if (below !== undefined && value > below) value = below;
  if (unit === undefined || Number.isInteger(value / unit)) return value;
  const up = Math.ceil(value / unit) * unit;
  return below !== undefined && up > below ? Math.floor(value / unit) * unit : up;
}

function bound(inclusive: unknown, exclusive: unknown, inward: number): number | undefined {
  if (typeof exclusive === "number") return exclusive + inward;
  return typeof inclusive === "number" ? inclusive : undefined;
}
