import { describe } from "../guarded-read.js";
import { anyBlock, resolvedModel } from "../message/read-message.js";
import { checkFault, jsonFault } from "../plain-json.js";
import { FINISH_REASONS } from "./delta.js";

/** What may stand in a fragment, before anybody has looked. */
interface Loose {
  readonly [field: string]: unknown;
}

/**
 * Why something is no fragment of a response; nothing when it is one. Looks at the fields that this version knows, and
 * leaves `usage` to whoever counts it. Makes nothing for a sound fragment: every fragment of every answer comes past here.
 */
export function deltaFault(delta: unknown): string | undefined {
  if (typeof delta !== "object" || delta === null) return `it is ${describe(delta)}, and no fragment`;
  const given = delta as Loose;
  switch (given.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return numberFault("index", given.index) ?? textFault("text", given.text);
    case "tool_call_args":
      return numberFault("index", given.index) ?? textFault("args", given.args);
    case "tool_call_start":
      return numberFault("index", given.index) ?? textFault("id", given.id) ?? textFault("name", given.name);
    case "tool_call_end":
      return numberFault("index", given.index);
    case "block":
      return numberFault("index", given.index) ?? blockFault(given.block);
    case "provider":
      return (given.index === undefined ? undefined : numberFault("index", given.index)) ?? attachedFault(given);
    case "usage":
      return undefined;
    case "start":
      return textsFault(given, START_TEXTS);
    case "restart":
      return numberFault("attempt", given.attempt) ?? textFault("reason", given.reason) ?? restartedFault(given);
    case "finish":
      return finishFault(given);
    default:
      return typeof given.type === "string"
        ? "its type is none that there is"
        : `type: a string is expected, ${describe(given.type)} found`;
  }
}

function numberFault(field: string, value: unknown): string | undefined {
  return Number.isFinite(value) ? undefined : `${field}: a number is expected, ${describe(value)} found`;
}

function textFault(field: string, value: unknown): string | undefined {
  return typeof value === "string" ? undefined : `${field}: a string is expected, ${describe(value)} found`;
}

const START_TEXTS = ["model", "responseId"] as const;
const FINISH_TEXTS = ["model", "responseId", "rawFinishReason"] as const;

/** The first of some optional texts that is none. */
function textsFault(given: Loose, fields: readonly string[]): string | undefined {
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as string;
    const fault = given[field] === undefined ? undefined : textFault(field, given[field]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The usual blocks are told at a glance; the others are held against what is known of their kind. */
function blockFault(block: unknown): string | undefined {
  return isUsual(block) ? undefined : checkFault(anyBlock, block, "block");
}

/** Text and tool calls, with nothing else in them. */
function isUsual(block: unknown): boolean {
  if (typeof block !== "object" || block === null) return false;
  const given = block as Loose;
  switch (given.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return typeof given.text === "string" && hasFields(given, 2);
    case "tool_call":
      return (
        typeof given.id === "string" &&
        typeof given.name === "string" &&
        typeof given.args === "object" &&
        given.args !== null &&
        !Array.isArray(given.args) &&
        hasFields(given, 4) &&
        jsonFault(given.args, "") === undefined
      );
    default:
      return false;
  }
}

function hasFields(given: Loose, count: number): boolean {
  let fields = 0;
  for (const _ in given) fields++;
  return fields === count;
}

function attachedFault({ providerMetadata }: Loose): string | undefined {
  if (!isRecord(providerMetadata)) return objectExpected("providerMetadata", providerMetadata);
  for (const [provider, entries] of Object.entries(providerMetadata)) {
    if (!isRecord(entries)) return objectExpected(`providerMetadata.${provider}`, entries);
  }
  return jsonFault(providerMetadata, "providerMetadata");
}

function restartedFault({ model }: Loose): string | undefined {
  return model === undefined ? undefined : checkFault(resolvedModel, model, "model");
}

const KNOWN_REASONS: ReadonlySet<unknown> = new Set(FINISH_REASONS);

function finishFault(given: Loose): string | undefined {
  const { finishReason, warnings, providerData } = given;
  if (!KNOWN_REASONS.has(finishReason)) {
    return textFault("finishReason", finishReason) ?? `finishReason: it is none of ${FINISH_REASONS.join(", ")}`;
  }
  const fault = textsFault(given, FINISH_TEXTS) ?? (warnings === undefined ? undefined : warningsFault(warnings));
  if (fault !== undefined || providerData === undefined) return fault;
  return isRecord(providerData)
    ? jsonFault(providerData, "providerData")
    : objectExpected("providerData", providerData);
}

function warningsFault(warnings: unknown): string | undefined {
  if (!Array.isArray(warnings)) return `warnings: an array is expected, ${describe(warnings)} found`;
  for (let at = 0; at < warnings.length; at++) {
    const place = `warnings[${at}]`;
    const warning: unknown = warnings[at];
    if (!isRecord(warning)) return objectExpected(place, warning);
    const fault = textFault(`${place}.code`, warning.code) ?? textFault(`${place}.message`, warning.message);
    if (fault !== undefined) return fault;
  }
  return jsonFault(warnings, "warnings");
}

function isRecord(value: unknown): value is Loose {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function objectExpected(place: string, value: unknown): string {
  return `${place}: an object is expected, ${describe(value)} found`;
}
