import {
  type AgentState,
  checkHistory,
  emptyUsage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Phase,
  parseJson,
  readArray,
  readNumber,
  readObject,
  readString,
  readVersion,
  TinyAgentsError,
} from "@tinyagents/core";

const PLACE = "the run's state";
const FORMAT = 1;

const PHASES: ReadonlySet<string> = new Set<Phase>([
  "start",
  "dispatch",
  "parse",
  "stop_check",
  "tools",
  "compact",
  "validate",
  "limit",
  "finalize",
  "paused",
  "done",
  "failed",
]);

/**
 * Reads a run's state that was stored: its JSON text, or the value of it. The result is a copy that nobody else holds.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readAgentState(stored: string | JsonValue): AgentState {
  const value = parseJson(typeof stored === "string" ? stored : JSON.stringify(stored), { place: PLACE });
  const state = readObject(value, PLACE);
  readVersion(state, FORMAT, PLACE);
  readString(state.agent, `${PLACE}.agent`);
  const phase = readString(state.phase, `${PLACE}.phase`);
  if (!PHASES.has(phase)) throw corrupt("phase", `"${phase}" is no phase`);
  checkConfig(readObject(state.config, `${PLACE}.config`));
  const messages = readArray(state.messages, `${PLACE}.messages`);
  messages.forEach(checkMessage);
  checkNumbers(readObject(state.counters, `${PLACE}.counters`), "counters", [
    "steps",
    "modelCalls",
    "toolCalls",
    "retries",
    "corrections",
  ]);
  for (const totals of ["usage", "childUsage"] as const) {
    checkNumbers(readObject(state[totals], `${PLACE}.${totals}`), totals, Object.keys(emptyUsage()));
  }
  checkNumbers(state, "", ["newFrom", "seq", "startedAtMs", "activeMs", "repeats", "unpricedCalls"]);
  for (const list of ["usageByModel", "edits", "recentTurns", "requests"] as const)
    readArray(state[list], `${PLACE}.${list}`);
  for (const entries of ["middleware", "answers"] as const) readObject(state[entries], `${PLACE}.${entries}`);
  checkPlaces(state, messages.length);
  const read = state as unknown as AgentState;
  checkPairs(read);
  return read;
}

function checkConfig(config: JsonObject): void {
  readString(config.runId, `${PLACE}.config.runId`);
  readString(config.rootRunId, `${PLACE}.config.rootRunId`);
  readNumber(config.depth, `${PLACE}.config.depth`);
  readArray(config.tags, `${PLACE}.config.tags`);
  checkNumbers(readObject(config.limits, `${PLACE}.config.limits`), "config.limits", [
    "maxModelCalls",
    "maxToolCalls",
    "maxConcurrency",
    "maxRetries",
    "maxCorrections",
    "maxDepth",
    "modelTimeoutMs",
    "toolTimeoutMs",
    "maxResultChars",
  ]);
}

function checkMessage(value: JsonValue, index: number): void {
  const place = `${PLACE}.messages[${index}]`;
  const message = readObject(value, place);
  const role = readString(message.role, `${place}.role`);
  if (role !== "system" && role !== "user" && role !== "assistant" && role !== "tool") {
    throw corrupt(`messages[${index}].role`, `"${role}" is no role`);
  }
  readArray(message.content, `${place}.content`).forEach((block, at) => {
    const { type, id, name } = readObject(block, `${place}.content[${at}]`);
    readString(type, `${place}.content[${at}].type`);
    if (type === "tool_call") {
      readString(id, `${place}.content[${at}].id`);
      readString(name, `${place}.content[${at}].name`);
    }
  });
  if (role === "tool") readString(message.toolCallId, `${place}.toolCallId`);
}

function checkNumbers(values: JsonObject, where: string, names: readonly string[]): void {
  for (const name of names) readNumber(values[name], `${PLACE}.${where === "" ? name : `${where}.${name}`}`);
}

function checkPlaces(state: JsonObject, messages: number): void {
  const newFrom = readNumber(state.newFrom, `${PLACE}.newFrom`);
  if (newFrom < 0 || newFrom > messages) throw corrupt("newFrom", `it points past the ${messages} messages`);
  const { batch } = state;
  if (batch === null) return;
  if (!isJsonObject(batch)) throw corrupt("batch", "an object or null is expected");
  readArray(batch.calls, `${PLACE}.batch.calls`).forEach((call, at) => {
    readString(readObject(call, `${PLACE}.batch.calls[${at}]`).callId, `${PLACE}.batch.calls[${at}].callId`);
  });
}

/** Open calls are allowed at the end only, where a batch is being run. */
function checkPairs(state: AgentState): void {
  for (const { type, index, callId } of checkHistory(state.messages)) {
    const open =
      type === "unanswered_call" && index >= state.messages.findLastIndex(({ role }) => role === "assistant");
    if (!open) throw corrupt(`messages[${index}]`, `${type} for the tool call "${callId}"`);
  }
}

function corrupt(where: string, reason: string): TinyAgentsError<"corrupt_data"> {
  const place = `${PLACE}.${where}`;
  return new TinyAgentsError("corrupt_data", `Cannot read ${place}: ${reason}.`, { details: { place, reason } });
}
