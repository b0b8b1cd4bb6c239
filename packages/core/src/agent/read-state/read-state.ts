import { messageOf } from "../../errors.js";
import { corruptData, parseJson, readArray, readObject } from "../../guarded-read.js";
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
  return checkAgentState(copyOf(stored, place), place);
}

/**
 * Looks at a run's state that is in memory, without copying it. `known`: how many messages its history had when it was
 * looked at before; one that has as many is not looked through again.
 * @throws as {@link readAgentState} does.
 */
export function checkAgentState(value: unknown, place = "the run's state", known = 0): AgentState {
  const given = readObject(value, place);
  readStateFields(given, place);
  const state = given as unknown as AgentState;
  const count = readArray(given.messages, `${place}.messages`).length;
  if (state.newFrom > count) throw corruptData(`${place}.newFrom`, `it points past the ${count} messages`);
  if (known > 0 && known === count) return state;
  readMessages(given.messages, `${place}.messages`);
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
