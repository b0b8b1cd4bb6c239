import { isTinyAgentsError } from "../errors.js";
import { corruptData, describe } from "../guarded-read.js";
import type { JsonObject } from "../json.js";
import type { Message } from "../message/message.js";
import { answer, finishReason, message, resolvedModel, toolMessage, usage } from "../message/read-message.js";
import type { ModelResponse } from "../model/collect.js";
import type { ModelWarning } from "../model/delta.js";
import type { ModelRequest, ToolDeclaration } from "../model/request.js";
import type { ModelTiming } from "../model/timing.js";
import { checkFault, jsonFault } from "../plain-json.js";
import {
  amount,
  anything,
  type Check,
  entries,
  flag,
  list,
  object,
  optional,
  shape,
  something,
  text,
  whole,
} from "../shape.js";
import type { HookName, HookResult } from "./middleware.js";

/**
 * Looks at what a hook gave back, so that a wrong value is found where its maker can be named. `given` is what the hook
 * was called with: messages that stand in it as they are were looked at before.
 * @throws TypeError that says what is wrong, and where.
 */
export function checkResult(hook: HookName, result: unknown, given: unknown): void {
  if (result === undefined || result === null) return;
  if (typeof result !== "object" || Array.isArray(result)) throw misused(describe(result));
  const { replace, state, history, control } = result as HookResult<unknown>;
  if (replace === undefined && state === undefined && history === undefined && control === undefined) {
    if (Object.keys(result).length > 0) throw misused("an object without any of them");
    return;
  }
  if (replace !== undefined) checkReplacement(hook, replace, given);
  if (state !== undefined) refuse(jsonFault(state, "state"));
  if (history !== undefined) checkEdit(history);
  if (control !== undefined) checkControl(control);
}

/** Looks at what a wrap around a tool gave. @throws TypeError */
export function checkToolMessage(given: unknown): void {
  if (given === undefined) throw new TypeError("it gave no tool message");
  hold(toolMessage, given, "its tool message");
}

function misused(what: string): TypeError {
  return new TypeError(`it returned ${what}, where an object with replace, state, history or control is expected`);
}

function refuse(fault: string | undefined): void {
  if (fault !== undefined) throw new TypeError(fault);
}

/** @throws TypeError: a typed error would pass for one that the hook threw itself. */
function hold(check: Check, value: unknown, place: string): void {
  refuse(checkFault(check, value, place));
}

function checkReplacement(hook: HookName, replace: unknown, given: unknown): void {
  switch (hook) {
    case "beforeModel":
      checkRequest(replace, given as ModelRequest);
      break;
    case "afterModel":
      checkResponse(replace, given as ModelResponse);
      break;
    case "afterTool":
      if (replace !== given) hold(toolMessage, replace, "replace");
      break;
    case "beforeTool":
      checkInvocation(replace);
      break;
    default:
      throw new TypeError(`replace: ${hook} is given nothing that could be replaced`);
  }
}

const finite: Check = (value, place) => {
  if (!Number.isFinite(value)) throw corruptData(place, `a number is expected, ${describe(value)} found`);
};

const textOrObject: Check = (value, place) => (typeof value === "string" ? undefined : object(value, place));

const declaration: Check = shape<ToolDeclaration>({ name: text, description: text, inputSchema: object });

const requestFields: Check = shape<Omit<ModelRequest, "messages">>({
  model: optional(text),
  hints: optional(list(text)),
  reuseModel: optional(flag),
  tools: optional(list(declaration)),
  toolChoice: optional(textOrObject),
  responseFormat: optional(object),
  temperature: optional(finite),
  topP: optional(finite),
  maxOutputTokens: optional(whole(1)),
  stopSequences: optional(list(text)),
  seed: optional(finite),
  reasoningEffort: optional(text),
  requires: optional(list(text)),
  timeoutMs: optional(amount),
  previousResponseId: optional(text),
  providerOptions: optional(entries(object)),
});

function checkRequest(replace: unknown, given: ModelRequest): void {
  if (replace === given) return;
  const { messages, ...rest } = asRecord(replace, "replace");
  hold(requestFields, rest, "replace");
  if (messages !== given.messages) checkMessages(messages, given.messages, "replace.messages");
}

/** Most edits leave the beginning, the end, or all but a few: only what is new is looked at. */
function checkMessages(messages: unknown, known: readonly Message[], place: string): void {
  if (!Array.isArray(messages)) throw new TypeError(`${place}: an array is expected, ${describe(messages)} found`);
  const shift = messages.length - known.length;
  for (let at = 0; at < messages.length; at++) {
    const one: unknown = messages[at];
    if (one !== undefined && (one === known[at] || one === known[at - shift])) continue;
    hold(message, one, `${place}[${at}]`);
  }
}

const warning: Check = shape<ModelWarning>({ code: text, message: text, setting: optional(text) });

const timing: Check = shape<ModelTiming>({
  elapsedMs: amount,
  answerMs: optional(amount),
  firstDeltaMs: optional(amount),
  waitedMs: optional(amount),
  readerMs: amount,
});

const responseFields: Check = shape<Omit<ModelResponse, "message">>({
  finishReason,
  rawFinishReason: optional(text),
  model: resolvedModel,
  responseId: optional(text),
  usage: optional(usage),
  attempts: whole(1),
  warnings: list(warning),
  providerData: optional(object),
  timing: optional(timing),
});

function checkResponse(replace: unknown, given: ModelResponse): void {
  if (replace === given) return;
  const { message: answered, ...rest } = asRecord(replace, "replace");
  if (answered !== given.message) hold(answer, answered, "replace.message");
  hold(responseFields, rest, "replace");
}

/** Its arguments are checked again by their schema; its spec and its policy are live objects. */
function checkInvocation(replace: unknown): void {
  const { id, name, args } = asRecord(replace, "replace");
  hold(text, id, "replace.id");
  hold(text, name, "replace.name");
  hold(object, args, "replace.args");
}

function asRecord(value: unknown, place: string): { readonly [field: string]: unknown } {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new TypeError(`${place}: an object is expected, ${describe(value)} found`);
}

/** Whether it fits the history says whoever applies it. */
function checkEdit(history: unknown): void {
  const { messages } = asRecord(history, "history");
  if (!Array.isArray(messages)) {
    throw new TypeError(`history.messages: an array is expected, ${describe(messages)} found`);
  }
  for (let at = 0; at < messages.length; at++) hold(message, messages[at], `history.messages[${at}]`);
}

const CONTROLS: readonly unknown[] = ["fail", "interrupt", "stop", "jump", "retry"];

function checkControl(control: unknown): void {
  const { type, payload, error } = asRecord(control, "control");
  if (!CONTROLS.includes(type)) throw new TypeError(`control.type: it is none of ${CONTROLS.join(", ")}`);
  if (type === "interrupt") hold(something, payload, "control.payload");
  if (type === "stop" && payload !== undefined) hold(anything, payload, "control.payload");
  if (type === "fail" && !isTinyAgentsError(error)) {
    throw new TypeError("control.error: a TinyAgentsError is expected", { cause: error });
  }
}
