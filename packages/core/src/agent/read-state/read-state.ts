import { messageOf } from "../../errors.js";
import { corruptData, parseJson, readObject } from "../../guarded-read.js";
import type { JsonValue } from "../../json.js";
import { readMessages } from "../../message/read-message.js";
import type { AgentState } from "../state.js";
import { checkCalls } from "./calls.js";
import { readStateFields } from "./fields.js";

/**
 * Reads a run's state that was stored: its JSON text, or the value of it. The result is a copy that nobody else holds.
 * `place` says in errors what was read.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readAgentState(stored: string | JsonValue, place = "the run's state"): AgentState {
  const value = readObject(copyOf(stored, place), place);
  const fields = readStateFields(value, place);
  const state: AgentState = { ...fields, messages: readMessages(value.messages, `${place}.messages`) };
  const { newFrom, messages } = state;
  if (newFrom > messages.length) {
    throw corruptData(`${place}.newFrom`, `it points past the ${messages.length} messages`);
  }
  checkCalls(state, place);
  return state;
}

/** The longest text that is read as a state, in characters: images stand in histories. */
const LONGEST_STATE = 256 * 1024 * 1024;

/** What is in memory already is not too long to be read. */
function copyOf(stored: string | JsonValue, place: string): JsonValue {
  if (typeof stored === "string") return parseJson(stored, { place, maxChars: LONGEST_STATE });
  let text: string;
  try {
    text = JSON.stringify(stored) ?? "";
  } catch (error) {
    throw corruptData(place, messageOf(error));
  }
  return parseJson(text, { place, maxChars: text.length });
}
