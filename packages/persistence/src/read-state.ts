import {
  type JsonObject,
  type Phase,
  readArray,
  readNumber,
  readObject,
  readString,
  readVersion,
} from "@tinyagents/core";
import { corrupt, readToolMessage } from "./read-message.js";

const PHASES: { readonly [P in Phase]: true } = {
  start: true,
  dispatch: true,
  parse: true,
  stop_check: true,
  tools: true,
  compact: true,
  validate: true,
  limit: true,
  finalize: true,
  paused: true,
  done: true,
  failed: true,
};
const NUMBERS = ["newFrom", "seq", "startedAtMs", "activeMs", "repeats", "unpricedCalls"] as const;
const COUNTERS = ["steps", "modelCalls", "toolCalls", "retries", "corrections"] as const;
const OBJECTS = ["usage", "childUsage", "middleware", "answers"] as const;
const ARRAYS = ["usageByModel", "recentTurns", "edits", "requests"] as const;

/**
 * Checks what a stored state needs so that a run can go on from it: its format, and the kind of every field that the
 * loop reads without asking.
 * @throws `corrupt_data`, `version_mismatch`
 */
export function readStateFields(value: unknown, place: string): void {
  const state = readObject(value, place);
  readVersion(state, 1, place);
  readString(state.agent, `${place}.agent`);
  const phase = readString(state.phase, `${place}.phase`);
  if (!Object.hasOwn(PHASES, phase)) throw corrupt(`${place}.phase`, `"${phase}" is no phase of a run`);
  readConfig(state.config, `${place}.config`);
  for (const name of NUMBERS) readNumber(state[name], `${place}.${name}`);
  for (const name of OBJECTS) readObject(state[name], `${place}.${name}`);
  for (const name of ARRAYS) readArray(state[name], `${place}.${name}`);
  const counters = readObject(state.counters, `${place}.counters`);
  for (const name of COUNTERS) readNumber(counters[name], `${place}.counters.${name}`);
  if (typeof state.finalizing !== "boolean") throw corrupt(`${place}.finalizing`, "true or false is expected");
  if (state.batch !== null) readBatch(readObject(state.batch, `${place}.batch`), `${place}.batch`);
}

function readConfig(value: unknown, place: string): void {
  const config = readObject(value, place);
  readString(config.runId, `${place}.runId`);
  readString(config.rootRunId, `${place}.rootRunId`);
  readNumber(config.depth, `${place}.depth`);
  readArray(config.tags, `${place}.tags`);
  for (const name of ["metadata", "configurable", "limits"]) readObject(config[name], `${place}.${name}`);
}

function readBatch(batch: JsonObject, place: string): void {
  readArray(batch.calls, `${place}.calls`).forEach((value, index) => {
    const call = readObject(value, `${place}.calls[${index}]`);
    readString(call.callId, `${place}.calls[${index}].callId`);
    if (call.result !== undefined) readToolMessage(call.result, `${place}.calls[${index}].result`);
  });
}
