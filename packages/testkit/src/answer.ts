import {
  type Block,
  type FinishReason,
  type JsonObject,
  type Message,
  type ModelDelta,
  type ModelRequest,
  type TinyAgentsError,
  toolCallBlock,
  toolCalls,
  type Usage,
} from "@tinyagents/core";
import { callIdsAfter } from "./call-ids.js";
import type { RequestExpectation } from "./expect-request.js";
import { type Split, splitText } from "./split.js";

/** A tool call that a scripted model asks for. */
export interface ScriptedToolCall {
  /** Default: `call_1`, `call_2`, ... counted on from the ids in the request's history. */
  readonly id?: string;
  readonly name: string;
  /** Default: none, `{}`. */
  readonly args?: JsonObject;
  /** The arguments' text as the model writes it, in place of `args`: empty, broken, or no object. */
  readonly rawArgs?: string;
}

/** What a scripted model says when it is asked. Blocks come in the order of the fields here. */
export interface ScriptedAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  readonly refusal?: string;
  /** Whole blocks of any kind: citations, reasoning with a signature, media. */
  readonly blocks?: readonly Block[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default: `tool_calls` where there are some, `refusal` where there is one, else `stop`. */
  readonly finishReason?: FinishReason;
  /** Default: the model's. `source` defaults to `reported`. */
  readonly usage?: Partial<Usage>;
  /** Exactly these deltas and nothing else: without a `finish` among them, the stream is cut short. */
  readonly deltas?: readonly ModelDelta[];
  /** Thrown after what else the answer says, in place of its finish. */
  readonly error?: TinyAgentsError;
  /** After what else it says, the model goes silent until the call's signal aborts. */
  readonly hang?: boolean;
  /** The answer waits for this before its first delta. */
  readonly gate?: PromiseLike<unknown>;
  /** The answer waits this long before its first delta, ms of the model's clock. */
  readonly delayMs?: number;
  /** Checked against the request before anything is answered. */
  readonly expect?: RequestExpectation;
}

/** How answers are turned into deltas. */
export interface AnswerStyle {
  readonly delivery: "incremental" | "whole";
  readonly split: Split | undefined;
  readonly usage: Partial<Usage> | undefined;
}

/** @throws TypeError for an answer that contradicts itself. `place` names it. */
export function checkAnswer(answer: ScriptedAnswer, place: string): void {
  const { deltas, error, hang, toolCalls: calls = [] } = answer;
  const said = ["reasoning", "text", "refusal", "blocks", "toolCalls", "finishReason", "usage"] as const;
  const beside = said.find((field) => answer[field] !== undefined);
  if (deltas !== undefined && beside !== undefined) {
    throw new TypeError(`${place}: "deltas" is the whole answer, "${beside}" cannot stand beside it`);
  }
  if (error !== undefined && hang === true) throw new TypeError(`${place}: an answer ends with "error" or "hang"`);
  checkCalls(calls, place);
}

/** @throws TypeError for a call whose arguments are given twice. */
export function checkCalls(calls: readonly ScriptedToolCall[], place: string): void {
  for (const [index, { args, rawArgs }] of calls.entries()) {
    if (args === undefined || rawArgs === undefined) continue;
    throw new TypeError(`${place}.toolCalls[${index}]: a call has "args" or "rawArgs", not both`);
  }
}

/** The deltas of an answer, its finish included unless it fails or hangs. */
export function answerDeltas(answer: ScriptedAnswer, request: ModelRequest, style: AnswerStyle): readonly ModelDelta[] {
  if (answer.deltas !== undefined) return answer.deltas;
  const deltas: ModelDelta[] = [];
  let index = 0;
  for (const type of ["reasoning", "text", "refusal"] as const) {
    const text = answer[type];
    if (text !== undefined) deltas.push(...textDeltas(type, index++, text, style));
  }
  for (const block of answer.blocks ?? []) deltas.push({ type: "block", index: index++, block });
  for (const call of namedCalls(answer.toolCalls ?? [], request.messages)) {
    deltas.push(...callDeltas(index++, call, style));
  }
  const usage = answer.usage ?? style.usage;
  if (usage !== undefined) deltas.push({ type: "usage", usage: { source: "reported", ...usage } });
  if (answer.error === undefined && answer.hang !== true) {
    deltas.push({ type: "finish", finishReason: answer.finishReason ?? impliedFinish(answer) });
  }
  return deltas;
}

function textDeltas(
  type: "reasoning" | "text" | "refusal",
  index: number,
  text: string,
  { delivery, split }: AnswerStyle,
): readonly ModelDelta[] {
  if (delivery === "whole") return [{ type: "block", index, block: { type, text } }];
  return splitText(text, split).map((piece) => ({ type, index, text: piece }));
}

function callDeltas(
  index: number,
  { id, name, argsText }: NamedCall,
  { delivery, split }: AnswerStyle,
): readonly ModelDelta[] {
  if (delivery === "whole") return [{ type: "block", index, block: toolCallBlock(id, name, argsText) }];
  return [
    { type: "tool_call_start", index, id, name },
    ...splitText(argsText, split).map((args): ModelDelta => ({ type: "tool_call_args", index, args })),
    { type: "tool_call_end", index },
  ];
}

interface NamedCall {
  readonly id: string;
  readonly name: string;
  readonly argsText: string;
}

function namedCalls(calls: readonly ScriptedToolCall[], history: readonly Message[]): readonly NamedCall[] {
  if (calls.length === 0) return [];
  const used = history.flatMap((message) => toolCalls(message).map(({ id }) => id));
  const nextId = callIdsAfter([...used, ...calls.flatMap(({ id }) => id ?? [])]);
  return calls.map((call) => ({
    id: call.id ?? nextId(),
    name: call.name,
    argsText: call.rawArgs ?? JSON.stringify(call.args ?? {}),
  }));
}

function impliedFinish({ toolCalls: calls = [], refusal }: ScriptedAnswer): FinishReason {
  if (calls.length > 0) return "tool_calls";
  return refusal === undefined ? "stop" : "refusal";
}
