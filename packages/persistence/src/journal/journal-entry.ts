import {
  type AgentEvent,
  copyStoredJson,
  corruptData,
  type EventPlace,
  type JournalEntry,
  type JournalGap,
  type JsonObject,
  type JsonValue,
  readNumber,
  readObject,
  readString,
  readVersion,
  redactEvent,
  type WithheldEvent,
} from "@tinyagents/core";

/** The newest format of entries. */
const FORMAT = 1;

/** How secrets are taken out of events. */
export interface Redaction {
  readonly secrets: readonly string[];
  readonly redact?: ((event: AgentEvent) => AgentEvent) | undefined;
}

/**
 * An event as a journal stores it. Where it happened stays as it is, whatever the redaction makes of it.
 * @throws whatever the redaction throws, `invalid_request` for what is no JSON.
 */
export function eventEntry(event: AgentEvent, { secrets, redact }: Redaction): JsonValue {
  const clean = redactEvent(redact === undefined ? event : redact(event), secrets);
  return copyStoredJson({ v: FORMAT, type: "event", event: { ...clean, ...placeOf(event) } }, "entry");
}

/** The entry of an event whose content cannot be stored. */
export function withheldEntry(event: AgentEvent, reason: WithheldEvent["reason"]): JsonValue {
  return { v: FORMAT, type: "withheld", event: placeOf(event), reason } as unknown as JsonValue;
}

export function gapEntry({ lost, fromMs, toMs }: Omit<JournalGap, "type" | "offset">): JsonValue {
  return { v: FORMAT, type: "gap", lost, fromMs, toMs };
}

function placeOf({ id, seq, attempt, timeMs, type, runId, rootRunId, parentRunId, component }: AgentEvent): EventPlace {
  const place = { id, seq, attempt, timeMs, type, runId, rootRunId, component };
  return parentRunId === undefined ? place : { ...place, parentRunId };
}

/** An entry that was read from a log. @throws `corrupt_data`, `version_mismatch` */
export function readJournalEntry(value: JsonValue, offset: number, place: string): JournalEntry {
  const entry = readObject(value, place);
  readVersion(entry, FORMAT, place);
  switch (entry.type) {
    case "event":
      return { type: "event", offset, event: readEvent(entry.event, `${place}.event`) };
    case "withheld": {
      const { event, reason } = entry;
      if (reason !== "redaction" && reason !== "refused")
        throw corruptData(`${place}.reason`, '"redaction" or "refused" is expected');
      return { type: "withheld", offset, event: readPlace(event, `${place}.event`) as unknown as EventPlace, reason };
    }
    case "gap": {
      const [lost, fromMs, toMs] = ["lost", "fromMs", "toMs"].map((name) =>
        readNumber(entry[name], `${place}.${name}`),
      );
      return { type: "gap", offset, lost: lost as number, fromMs: fromMs as number, toMs: toMs as number };
    }
  }
  throw corruptData(`${place}.type`, '"event", "withheld" or "gap" is expected');
}

/** Types are not checked against a list: a newer package may have written more of them. */
function readEvent(value: unknown, place: string): AgentEvent {
  const event = readPlace(value, place);
  readVersion(event, FORMAT, place);
  readObject(event.data, `${place}.data`);
  return event as unknown as AgentEvent;
}

/** Of entries that tell of no attempt, all were told in the first. */
function readPlace(value: unknown, place: string): JsonObject {
  const event: JsonObject = { attempt: 1, ...readObject(value, place) };
  for (const name of ["id", "type", "runId", "rootRunId", "component"]) readString(event[name], `${place}.${name}`);
  for (const name of ["seq", "attempt", "timeMs"]) readNumber(event[name], `${place}.${name}`);
  if (event.parentRunId !== undefined) readString(event.parentRunId, `${place}.parentRunId`);
  return event;
}
