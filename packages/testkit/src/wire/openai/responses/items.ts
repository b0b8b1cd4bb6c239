import type { JsonObject } from "@tinyagents/core";
import { namedCalls } from "../../calls.js";
import type { WireAnswer } from "../../entry.js";
import type { WireRequest } from "../../request.js";
import { endingOf } from "./body.js";
import { inputItems, type Memory } from "./memory.js";

/** One item of an answer, whole; of a tool call also which one it is. */
export interface Output {
  readonly item: JsonObject;
  readonly call?: number;
}

/** The items that an answer is made of, in order. Their ids have the number of the request in them. */
export function outputOf(answer: WireAnswer, request: WireRequest, known: Memory): readonly Output[] {
  const { blocks = [], toolCalls = [] } = answer;
  const { body, number } = request;
  const used = [...(known.conversation(String(body.previous_response_id)) ?? []), ...inputItems(body.input)];
  const calls = namedCalls(
    toolCalls,
    used.flatMap(({ call_id: id }) => (typeof id === "string" ? [id] : [])),
  );
  const output: readonly Output[] = [
    ...reasoningOf(answer, request).map((item) => ({ item })),
    ...messageOf(answer, request).map((item) => ({ item })),
    ...blocks.map((item) => ({ item })),
    ...calls.map(({ id, name, argsText }, at) => ({
      item: {
        ...idOf(`fc_${number}_${at + 1}`, answer),
        type: "function_call",
        status: "completed",
        arguments: argsText,
        call_id: id,
        name,
      },
      call: at,
    })),
  ];
  return endingOf(answer).status === "incomplete" ? cutShort(output) : output;
}

/** The items of a response that is cut short: the last one has no end. */
function cutShort(output: readonly Output[]): readonly Output[] {
  return output.map((one, at) => {
    const isOpen = at === output.length - 1 && one.item.status === "completed";
    return isOpen ? { ...one, item: { ...one.item, status: "incomplete" } } : one;
  });
}

/** @see https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items */
function reasoningOf(answer: WireAnswer, { body, number }: WireRequest): readonly JsonObject[] {
  const { reasoning, signature, reasoningField } = answer;
  if (reasoningField === "think_tags" || (reasoning === undefined && signature === undefined)) return [];
  const encrypted = Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
  const said = reasoning === undefined || reasoning === "" ? [] : [reasoning];
  const raw = reasoningField !== undefined;
  return [
    {
      id: `rs_${number}`,
      type: "reasoning",
      summary: raw ? [] : said.map((text) => ({ type: "summary_text", text })),
      ...(raw ? { content: said.map((text) => ({ type: "reasoning_text", text })) } : {}),
      ...(encrypted ? { encrypted_content: signature ?? `signature_${number}` } : {}),
    },
  ];
}

function messageOf(answer: WireAnswer, { number }: WireRequest): readonly JsonObject[] {
  const { refusal } = answer;
  const text = textOf(answer);
  if (text === undefined && refusal === undefined) return [];
  const content = [
    ...(text === undefined ? [] : [{ type: "output_text", annotations: [], logprobs: [], text }]),
    ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
  ];
  return [{ id: `msg_${number}`, type: "message", status: "completed", content, role: "assistant" }];
}

function textOf({ text, reasoning, reasoningField }: WireAnswer): string | undefined {
  if (reasoning === undefined || reasoningField !== "think_tags") return text;
  return `<think>\n${reasoning}\n</think>\n\n${text ?? ""}`;
}

/** The id of an item, which is not the id of its call. */
function idOf(id: string, { toolIds }: WireAnswer): JsonObject {
  if (toolIds === undefined) return { id };
  return toolIds === "empty" ? { id: "" } : {};
}
