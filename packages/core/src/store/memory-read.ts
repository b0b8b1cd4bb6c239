import { readNumber, readObject, readString, readVersion } from "../guarded-read.js";
import { readMessages } from "../message/read-message.js";
import type { ThreadSaver, ThreadState } from "./memory.js";

const FORMAT = 1;

/**
 * What a thread remembers, from a store or from a memory that somebody else wrote, checked field by field. Fields that
 * nobody knows are left out.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readThreadState(value: unknown, place: string): ThreadState {
  const state = readObject(value, place);
  readVersion(state, FORMAT, place);
  const messages = readMessages(state.messages, `${place}.messages`);
  const { middleware, savedBy } = state;
  return {
    v: FORMAT,
    messages,
    ...(middleware === undefined ? {} : { middleware: readObject(middleware, `${place}.middleware`) }),
    ...(savedBy === undefined ? {} : { savedBy: readSaver(savedBy, `${place}.savedBy`) }),
  };
}

function readSaver(value: unknown, place: string): ThreadSaver {
  const { runId, startedAtMs } = readObject(value, place);
  return { runId: readString(runId, `${place}.runId`), startedAtMs: readNumber(startedAtMs, `${place}.startedAtMs`) };
}
