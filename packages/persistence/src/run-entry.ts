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

/** One entry of the log of a run. */
export type RunEntry = StepEntry | ToolResultEntry;

/** The newest format of entries. */
const FORMAT = 1;

/** The entry of a state, of whose history all before `from` is in the log. */
export function stepEntry(state: AgentState, from: number, by: string): StepEntry {
  return { v: FORMAT, type: "step", by, from, messages: state.messages.slice(from), state: fieldsOf(state) };
}

export function toolResultEntry(callId: string, result: ToolMessage, by: string): ToolResultEntry {
  return { v: FORMAT, type: "tool_result", by, callId, result };
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
  if (entry.type === "step") checkStep(entry, place);
  else if (entry.type === "tool_result") checkToolResult(entry, place);
  else
    throw corruptData(
      `${place}.type`,
      `"step" or "tool_result" is expected, ${JSON.stringify(entry.type) ?? "nothing"} found`,
    );
  return entry as unknown as RunEntry;
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
