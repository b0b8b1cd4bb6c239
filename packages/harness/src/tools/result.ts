import {
  type ArtifactReference,
  type Block,
  firstCharacters,
  type JsonObject,
  type JsonValue,
  type ToolInvocation,
  type ToolMessage,
} from "@tinyagents/core";
import type { Mutable } from "../mutable.js";
import type { LiveRun } from "../run/live-run.js";
import { saveArtifact } from "./runtime.js";

/** Everything a result message says besides its content. */
export interface ResultFacts {
  readonly isError: boolean;
  readonly elapsedMs: number;
  readonly attempts: number;
  readonly summary?: string | undefined;
  readonly artifacts: readonly ArtifactReference[];
}

/** The message of a call that ran, within the cap on its size; what is too large for it goes to the artifact store. */
export async function resultMessage(
  run: LiveRun,
  call: ToolInvocation,
  content: readonly Block[],
  facts: ResultFacts,
): Promise<ToolMessage> {
  const artifactAbove = call.policy.artifactAboveChars;
  const cap = call.policy.maxResultChars ?? run.state.config.limits.maxResultChars;
  const chars = countChars(content);
  if (artifactAbove !== undefined && chars >= artifactAbove) return referenced(run, call, content, facts);
  if (chars > cap) return cut(call, content, cap, facts);
  return plainMessage(call, content, facts);
}

/** The same without a wait, for what is surely small enough; nothing when it may not be. */
export function smallResultMessage(
  run: LiveRun,
  call: ToolInvocation,
  content: readonly Block[],
  facts: ResultFacts,
): ToolMessage | undefined {
  const { artifactAboveChars, maxResultChars } = call.policy;
  const cap = Math.min(
    maxResultChars ?? run.state.config.limits.maxResultChars,
    (artifactAboveChars ?? Number.POSITIVE_INFINITY) - 1,
  );
  return surelyWithin(content, cap) ? plainMessage(call, content, facts) : undefined;
}

function plainMessage(call: ToolInvocation, content: readonly Block[], facts: ResultFacts): ToolMessage {
  const message: Mutable<ToolMessage> = {
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content,
    isError: facts.isError,
    status: facts.isError ? "failed" : "ok",
    elapsedMs: facts.elapsedMs,
  };
  if (facts.attempts > 1) message.attempts = facts.attempts;
  if (facts.summary !== undefined) message.summary = facts.summary;
  if (facts.artifacts.length > 0) message.artifacts = facts.artifacts;
  return message;
}

/** The characters that a model would read. */
function countChars(content: readonly Block[]): number {
  let chars = 0;
  for (const block of content) {
    if (block.type === "text") chars += block.text.length;
    else if (block.type === "json") chars += JSON.stringify(block.value).length;
  }
  return chars;
}

/** Whether content has at most `cap` characters, without writing its JSON: "no" may also mean "perhaps not". */
function surelyWithin(content: readonly Block[], cap: number): boolean {
  let room = cap;
  for (let i = 0; i < content.length; i++) {
    const block = content[i];
    if (block?.type === "text") room -= block.text.length;
    else if (block?.type === "json") room = roomAfter(block.value, room);
    if (room < 0) return false;
  }
  return true;
}

/** The longest JSON texts: of one unit of a string (an escape), of a number, of `false`. */
const LONGEST_UNIT = 6;
const LONGEST_NUMBER = 25;
const LONGEST_WORD = 5;

/** What is left of the room after the longest JSON text that a value can have. Stops when nothing is left. */
function roomAfter(value: JsonValue, room: number): number {
  if (typeof value === "string") return room - LONGEST_UNIT * value.length - 2;
  if (typeof value === "number") return room - LONGEST_NUMBER;
  if (typeof value === "boolean" || value === null) return room - LONGEST_WORD;
  let left = room - 2;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      if (left < 0) return left;
      left = roomAfter(item, left - 1);
    }
    return left;
  }
  const entries = value as JsonObject;
  for (const key of Object.keys(entries)) {
    if (left < 0) return left;
    left = roomAfter(entries[key] as JsonValue, left - LONGEST_UNIT * key.length - 4);
  }
  return left;
}

function textOf(content: readonly Block[]): string {
  return content
    .map((block) => (block.type === "text" ? block.text : block.type === "json" ? JSON.stringify(block.value) : ""))
    .join("\n");
}

function cut(call: ToolInvocation, content: readonly Block[], cap: number, facts: ResultFacts): ToolMessage {
  const full = textOf(content);
  const shown = firstCharacters(full, cap);
  const note = `[The result was cut: these are the first ${shown.length} of ${full.length} characters.]`;
  return {
    ...plainMessage(call, [{ type: "text", text: `${shown}\n${note}` }, ...mediaOf(content)], facts),
    truncatedFrom: full.length,
  };
}

/** What no cap on characters concerns. */
function mediaOf(content: readonly Block[]): readonly Block[] {
  return content.filter(({ type }) => type !== "text" && type !== "json");
}

async function referenced(
  run: LiveRun,
  call: ToolInvocation,
  content: readonly Block[],
  facts: ResultFacts,
): Promise<ToolMessage> {
  const text = textOf(content);
  const mediaType = content.length === 1 && content[0]?.type === "json" ? "application/json" : "text/plain";
  const reference = await saveArtifact(run, call.id, facts.artifacts.length, { data: text, mediaType });
  const note = `[The result has ${text.length} characters and was kept as an artifact: ${reference.key.join("/")}]`;
  const message = plainMessage(call, [{ type: "text", text: note }, ...mediaOf(content)], {
    ...facts,
    artifacts: [...facts.artifacts, reference],
  });
  return { ...message, truncatedFrom: text.length };
}
