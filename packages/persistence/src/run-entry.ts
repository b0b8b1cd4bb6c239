import {
  type AgentState,
  corruptData,
  type JsonObject,
  type JsonValue,
  type Message,
  readMessages,
  readNumber,
  readObject,
  readStateFields,
  readString,
  readToolMessage,
  readVersion,
  type ToolMessage,
} from "@tinyagents/core";

/** A state without its history. */
export type StateFields = Omit<AgentState, "messages">;

/**
 * A step of a run, as its log has it. The history is the earlier one up to `from`, then `messages`; everything else is
 * in `state` whole. Read twice in a row it gives the same as once.
 */
export interface StepEntry {
  readonly v: 1;
  readonly type: "step";
  /** Who wrote it: an id of the recorder, different in every process. */
  readonly by: string;
  readonly from: number;
  readonly messages: readonly Message[];
  readonly state: StateFields;
}

/** The result of one tool call, written before the step that it belongs to is over. */
export interface ToolResultEntry {
  readonly v: 1;
  readonly type: "tool_result";
  readonly by: string;
  readonly callId: string;
  readonly result: ToolMessage;
}

/** Somebody owns the run: from here on, or, under the fence that it has already, for longer. */
export interface LeaseEntry {
  readonly v: 1;
  readonly type: "lease";
  readonly by: string;
  /** Which owner of the run this is, from 1. */
  readonly fence: number;
  /** When the lease runs out, ms since 1970. `null`: when the recorder that gave it is gone. */
  readonly untilMs: number | null;
}

/** The owner has let go of the run. So it has, without saying, by a step into an end phase. */
export interface ReleaseEntry {
  readonly v: 1;
  readonly type: "release";
  readonly by: string;
  readonly fence: number;
}

/** One entry of the log of a run. */
export type RunEntry = StepEntry | ToolResultEntry | LeaseEntry | ReleaseEntry;

/** The newest format of entries. */
const FORMAT = 1;

/** The entry of a state, of whose history all before `from` is in the log. */
export function stepEntry(state: AgentState, from: number, by: string): StepEntry {
  return { v: FORMAT, type: "step", by, from, messages: state.messages.slice(from), state: fieldsOf(state) };
}

export function toolResultEntry(callId: string, result: ToolMessage, by: string): ToolResultEntry {
  return { v: FORMAT, type: "tool_result", by, callId, result };
}

export function leaseEntry(fence: number, untilMs: number | null, by: string): LeaseEntry {
  return { v: FORMAT, type: "lease", by, fence, untilMs };
}

export function releaseEntry(fence: number, by: string): ReleaseEntry {
  return { v: FORMAT, type: "release", by, fence };
}

/** All but the history. A field that is `undefined` is not said, and is left out. */
function fieldsOf(state: AgentState): StateFields {
  const fields: { [name: string]: unknown } = {};
  for (const [name, value] of Object.entries(state)) {
    if (name !== "messages" && value !== undefined) fields[name] = value;
  }
  return fields as unknown as StateFields;
}

/** An entry that was read from a log. @throws `corrupt_data`, `version_mismatch` */
export function readRunEntry(value: JsonValue, place: string): RunEntry {
  const entry = readObject(value, place);
  readVersion(entry, FORMAT, place);
  readString(entry.by, `${place}.by`);
  checkContent(entry, place);
  return entry as unknown as RunEntry;
}

function checkContent(entry: JsonObject, place: string): void {
  switch (entry.type) {
    case "step":
      checkStep(entry, place);
      return;
    case "tool_result":
      checkToolResult(entry, place);
      return;
    case "lease":
      checkFence(entry, place);
      if (entry.untilMs !== null) readNumber(entry.untilMs, `${place}.untilMs`);
      return;
    case "release":
      checkFence(entry, place);
      return;
  }
  const found = JSON.stringify(entry.type) ?? "nothing";
  throw corruptData(`${place}.type`, `"step", "tool_result", "lease" or "release" is expected, ${found} found`);
}

function checkStep(entry: JsonObject, place: string): void {
  const from = readNumber(entry.from, `${place}.from`);
  if (!Number.isInteger(from) || from < 0)
    throw corruptData(`${place}.from`, `a place in the history is expected, ${from} found`);
  readMessages(entry.messages, `${place}.messages`);
  readStateFields(entry.state, `${place}.state`);
}

function checkToolResult(entry: JsonObject, place: string): void {
  const callId = readString(entry.callId, `${place}.callId`);
  const { toolCallId } = readToolMessage(entry.result, `${place}.result`);
  if (toolCallId !== callId)
    throw corruptData(`${place}.result`, `it is the result of call "${toolCallId}", not of "${callId}"`);
}

function checkFence(entry: JsonObject, place: string): void {
  const fence = readNumber(entry.fence, `${place}.fence`);
  if (!Number.isSafeInteger(fence) || fence < 1)
    throw corruptData(`${place}.fence`, `the number of an owner, from 1, is expected, ${fence} found`);
}
