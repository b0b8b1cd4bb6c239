import type { ModelCallContext, ModelRequest } from "@tinyagents/core";
import { checkAnswer, type ScriptedAnswer } from "./answer.js";
import { describeRequest, expectRequest } from "./expect-request.js";
import { type RecordingModel, recordingModel, type TestModelOptions } from "./recording-model.js";

/** One entry of a script: an answer, a text as the short form of one, or a function that decides it. */
export type ScriptEntry =
  | string
  | ScriptedAnswer
  | ((request: ModelRequest, call: ModelCallContext) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>);

/** A model that plays a script. */
export interface ScriptedModel extends RecordingModel {
  /** How many entries have not been played. */
  readonly remaining: number;
  /**
   * @throws Error when a request was not as expected or came after the script's end, whatever became of that failure
   * since; and when entries are left.
   */
  assertDone(): void;
}

/**
 * A model that plays answers in order, one per call, and checks what it is asked. A call after the last entry, and a
 * request that is not as expected, throw a plain `Error` from the stream; no retry helps.
 *
 * @throws TypeError for an entry that contradicts itself.
 */
export function scriptedModel(script: readonly ScriptEntry[], options: TestModelOptions = {}): ScriptedModel {
  const entries = script.slice();
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === "object") checkAnswer(entry, placeOf(index, entries));
  }
  let played = 0;
  let failure: Error | undefined;
  const fail = (message: string, cause?: unknown): Error => {
    const error = cause === undefined ? new Error(message) : new Error(message, { cause });
    failure ??= error;
    return error;
  };

  const model = recordingModel(
    async (request, call) => {
      const index = played++;
      const entry = entries[index];
      if (entry === undefined) {
        throw fail(
          `The script has ${count(entries.length)}, and call ${index + 1} was made.\n${describeRequest(request)}`,
        );
      }
      const decided = typeof entry === "function" ? await entry(request, call) : entry;
      const answer = toAnswer(decided);
      const place = placeOf(index, entries);
      checkAnswer(answer, place);
      if (answer.expect === undefined) return answer;
      try {
        expectRequest(request, answer.expect);
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        throw fail(`The request for ${place} is not as expected. ${said}\n${describeRequest(request)}`, error);
      }
      return answer;
    },
    "test/scripted",
    options,
  );
  return Object.defineProperties(model, {
    remaining: { get: () => Math.max(0, entries.length - played) },
    assertDone: {
      value: () => {
        if (failure !== undefined) throw failure;
        if (played >= entries.length) return;
        const unused = entries.slice(played).map((entry, at) => `  ${played + at + 1}: ${describeEntry(entry)}`);
        throw new Error(
          `The script has ${count(entries.length)}, and ${played} were played. Left:\n${unused.join("\n")}`,
        );
      },
    },
  }) as ScriptedModel;
}

/** An entry that was decided, as an answer. */
export function toAnswer(entry: string | ScriptedAnswer): ScriptedAnswer {
  return typeof entry === "string" ? { text: entry } : entry;
}

function placeOf(index: number, entries: readonly unknown[]): string {
  return `script entry ${index + 1} of ${entries.length}`;
}

function count(entries: number): string {
  return entries === 1 ? "1 entry" : `${entries} entries`;
}

function describeEntry(entry: ScriptEntry): string {
  if (typeof entry === "function") return "a function";
  const { text, toolCalls = [], refusal, deltas, error } = toAnswer(entry);
  const said: string[] = [];
  if (text !== undefined) said.push(`text ${JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)}`);
  if (toolCalls.length > 0) said.push(`calls of ${toolCalls.map(({ name }) => name).join(", ")}`);
  if (refusal !== undefined) said.push("a refusal");
  if (deltas !== undefined) said.push(`${deltas.length} deltas`);
  if (error !== undefined) said.push(`error ${error.code}`);
  return said.length === 0 ? "an empty answer" : said.join(", ");
}
