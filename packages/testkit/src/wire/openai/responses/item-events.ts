import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import { type Split, splitText } from "../../../split.js";
import type { WireAnswer } from "../../entry.js";
import type { Output } from "./items.js";

/** An event before it has its number. */
export interface ItemEvent {
  readonly type: string;
  readonly fields: JsonObject;
}

/**
 * The events of one item, from its beginning to its end.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function itemEvents(output: Output, at: number, answer: WireAnswer): readonly ItemEvent[] {
  const { item } = output;
  const place = placeOf(output, at, answer);
  const { start, growth } = growthOf(item, answer);
  const inside = { ...(item.id === undefined ? {} : { item_id: item.id }), ...place };
  return [
    { type: "response.output_item.added", fields: { ...place, item: start } },
    ...growth.map(({ type, fields }) => ({ type: `response.${type}`, fields: { ...inside, ...fields } })),
    { type: "response.output_item.done", fields: { ...place, item } },
  ];
}

function placeOf({ call }: Output, at: number, { toolIndexes }: WireAnswer): JsonObject {
  if (call === undefined || toolIndexes === undefined) return { output_index: at };
  if (toolIndexes === "missing") return {};
  return { output_index: toolIndexes === "constant" ? 0 : (toolIndexes[call] ?? at) };
}

interface Growth {
  readonly start: JsonObject;
  readonly growth: readonly ItemEvent[];
}

/** Phases that the API tells of, of the tools that it runs itself. */
const PHASES: { readonly [type: string]: readonly string[] } = {
  web_search_call: ["in_progress", "searching", "completed"],
  file_search_call: ["in_progress", "searching", "completed"],
  code_interpreter_call: ["in_progress", "interpreting", "completed"],
  image_generation_call: ["in_progress", "generating", "completed"],
  mcp_call: ["in_progress", "completed"],
  mcp_list_tools: ["in_progress", "completed"],
};

function growthOf(item: JsonObject, { split, wholeCalls }: WireAnswer): Growth {
  const started = { ...item, ...(item.status === undefined ? {} : { status: "in_progress" }) };
  switch (item.type) {
    case "message":
      return { start: { ...started, content: [] }, growth: objects(item.content).flatMap(contentEvents(split)) };
    case "reasoning":
      return reasoningGrowth(item, split);
    case "function_call":
      if (wholeCalls === true) return { start: item, growth: [] };
      return { start: { ...started, arguments: "" }, growth: argumentEvents(item, split) };
    default: {
      const phases = PHASES[String(item.type)] ?? [];
      return { start: started, growth: phases.map((phase) => ({ type: `${String(item.type)}.${phase}`, fields: {} })) };
    }
  }
}

function reasoningGrowth(item: JsonObject, split: Split | undefined): Growth {
  const { encrypted_content: encrypted, content, ...rest } = item;
  return {
    start: { ...rest, summary: [], ...(encrypted === undefined ? {} : { encrypted_content: "" }) },
    growth: [...objects(item.summary).flatMap(summaryEvents(split)), ...objects(content).flatMap(contentEvents(split))],
  };
}

function summaryEvents(split: Split | undefined): (part: JsonObject, at: number) => readonly ItemEvent[] {
  return (part, summary_index) => {
    const text = String(part.text);
    const event = (type: string, fields: JsonObject): ItemEvent => ({ type, fields: { summary_index, ...fields } });
    return [
      event("reasoning_summary_part.added", { part: { ...part, text: "" } }),
      ...splitText(text, split).map((delta) => event("reasoning_summary_text.delta", { delta })),
      event("reasoning_summary_text.done", { text }),
      event("reasoning_summary_part.done", { part }),
    ];
  };
}

/** The field of a part that grows, the name of its events, and what goes with them. */
const GROWING: {
  readonly [type: string]: { readonly field: string; readonly event: string; readonly more: JsonObject } | undefined;
} = {
  output_text: { field: "text", event: "output_text", more: { logprobs: [] } },
  reasoning_text: { field: "text", event: "reasoning_text", more: {} },
  refusal: { field: "refusal", event: "refusal", more: {} },
};

function contentEvents(split: Split | undefined): (part: JsonObject, at: number) => readonly ItemEvent[] {
  return (part, content_index) => {
    const event = (type: string, fields: JsonObject): ItemEvent => ({ type, fields: { content_index, ...fields } });
    const grows = GROWING[String(part.type)];
    if (grows === undefined) {
      return [event("content_part.added", { part }), event("content_part.done", { part })];
    }
    const { field, event: name, more } = grows;
    const value = String(part[field]);
    const annotations = objects(part.annotations);
    const bare = part.annotations === undefined ? {} : { annotations: [] };
    return [
      event("content_part.added", { part: { ...part, [field]: "", ...bare } }),
      ...splitText(value, split).map((delta) => event(`${name}.delta`, { delta, ...more })),
      ...annotations.map((annotation: JsonValue, annotation_index) =>
        event("output_text.annotation.added", { annotation, annotation_index }),
      ),
      event(`${name}.done`, { [field]: value, ...more }),
      event("content_part.done", { part }),
    ];
  };
}

function argumentEvents({ arguments: args, name }: JsonObject, split: Split | undefined): readonly ItemEvent[] {
  const text = String(args);
  return [
    ...splitText(text, split).map((delta) => ({ type: "function_call_arguments.delta", fields: { delta } })),
    { type: "function_call_arguments.done", fields: { arguments: text, name: name ?? "" } },
  ];
}

function objects(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
