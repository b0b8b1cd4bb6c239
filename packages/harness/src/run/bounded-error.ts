import { boundedText, type TinyAgentsError as Failure, type JsonValue, TinyAgentsError } from "@tinyagents/core";

/** The most characters that the details of an error may have, texts and keys together, and one for each value. */
const MOST_CHARS = 65_536;
/** How deep they may be nested. */
const DEEPEST = 16;

/**
 * The error itself where it is fit to stand in a state and in events; else one whose details are: plain JSON, with what
 * is too long cut. Adapters put whole bodies into errors, and a proxy's body can be anything. The original is the cause.
 */
export function boundedError(error: Failure): Failure {
  const room: Room = { left: MOST_CHARS, wasCut: false };
  const details = boundedDetails(error, room);
  if (!room.wasCut && typeof error.retryable === "boolean") return error;
  return new TinyAgentsError(error.code, boundedText(error.message), {
    details: details as Failure["details"],
    retryable: error.retryable === true,
    cause: error,
    runId: error.runId,
    callId: error.callId,
  });
}

/** What is left of the room for details, and whether anything did not fit. */
interface Room {
  left: number;
  wasCut: boolean;
}

function boundedDetails({ details }: Failure, room: Room): JsonValue {
  try {
    if (typeof details === "object" && details !== null && !Array.isArray(details)) return bounded(details, 0, room);
  } catch {
    // A getter that throws: nothing of such details can be kept.
  }
  room.wasCut = true;
  return {};
}

function bounded(value: unknown, depth: number, room: Room): JsonValue {
  room.left--;
  if (typeof value === "string") return boundedString(value, room);
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || depth >= DEEPEST) return cut(`[${typeof value}]`, room);
  if (Array.isArray(value)) return boundedList(value, depth, room);
  return isRecord(value) ? boundedRecord(value, depth, room) : cut(Object.prototype.toString.call(value), room);
}

function cut(text: string, room: Room): string {
  room.wasCut = true;
  return text;
}

function boundedString(text: string, room: Room): string {
  const longest = Math.max(0, room.left);
  room.left -= text.length;
  return text.length <= longest ? text : cut(boundedText(text, longest), room);
}

function boundedList(values: readonly unknown[], depth: number, room: Room): JsonValue {
  const kept: JsonValue[] = [];
  for (const value of values) {
    if (room.left <= 0) {
      room.wasCut = true;
      break;
    }
    kept.push(bounded(value, depth + 1, room));
  }
  return kept;
}

function boundedRecord(values: object, depth: number, room: Room): JsonValue {
  const kept: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(values)) {
    room.left -= key.length;
    if (room.left <= 0 || key === "__proto__") {
      room.wasCut = true;
      if (room.left <= 0) break;
    } else if (value !== undefined) kept.push([key, bounded(value, depth + 1, room)]);
  }
  return Object.fromEntries(kept);
}

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
