import type { JsonObject } from "@tinyagents/core";
import type { Problem } from "../../problem.js";
import { typeOf } from "./check-items.js";
import { inputItems, type Memory } from "./memory.js";

/**
 * What the API refuses in how items stand to each other: calls and their outputs, reasoning and what came of it, ids
 * that stand twice or for nothing. What a previous response holds counts as sent before.
 * @see https://github.com/vercel/ai/issues/7099 for reasoning without its item
 * @see https://github.com/continuedev/continue/issues/11994 for an item without its reasoning
 */
export function* checkOrder(body: JsonObject, known: Memory): Generator<Problem> {
  const before = known.conversation(String(body.previous_response_id)) ?? [];
  const sent = inputItems(body.input);
  yield* checkIds(sent, before, known);
  const items = [...before, ...sent].map((item) => resolved(item, known));
  yield* checkCalls(items, sent.length);
  yield* checkReasoning(items.slice(before.length), before, known);
}

/** What an item stands for: the one that it names, else itself. */
function resolved(item: JsonObject, known: Memory): JsonObject {
  return typeOf(item) === "item_reference" ? (known.item(String(item.id))?.item ?? item) : item;
}

function* checkIds(sent: readonly JsonObject[], before: readonly JsonObject[], known: Memory): Generator<Problem> {
  const seen = new Set<unknown>(before.flatMap(({ id }) => id ?? []));
  for (const item of sent) {
    const { id } = item;
    if (typeof id !== "string") continue;
    if (seen.has(id))
      yield ofInput(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`);
    seen.add(id);
    const type = typeOf(item);
    const kept = known.item(id);
    const needed = type === "item_reference" || (type === "reasoning" && typeof item.encrypted_content !== "string");
    if (needed && kept?.stored !== true) yield notKept(id, kept !== undefined);
    const given = kept?.item.encrypted_content;
    if (type === "reasoning" && typeof given === "string" && typeof item.encrypted_content === "string") {
      if (given !== item.encrypted_content) yield notVerified(id);
    }
  }
}

function* checkCalls(items: readonly JsonObject[], sent: number): Generator<Problem> {
  const open = new Set<unknown>();
  const asked = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    const { call_id: id } = item;
    const isNew = at >= items.length - sent;
    if (typeOf(item) === "function_call") {
      if (isNew && asked.has(id)) yield ofInput(`Duplicate call_id found: ${String(id)}.`);
      asked.add(id);
      open.add(id);
    } else if (typeOf(item) === "function_call_output" && !open.delete(id) && isNew) {
      yield ofInput(
        asked.has(id)
          ? `Duplicate output found for function call with call_id ${String(id)}.`
          : `No tool call found for function call output with call_id ${String(id)}.`,
      );
    }
  }
  for (const id of open) yield ofInput(`No tool output found for function call ${String(id)}.`);
}

function* checkReasoning(
  items: readonly JsonObject[],
  before: readonly JsonObject[],
  known: Memory,
): Generator<Problem> {
  const ids = new Set<unknown>([...before, ...items].map(({ id }) => id));
  for (const [at, item] of items.entries()) {
    const type = typeOf(item);
    if (type === "reasoning" && !follows(items[at + 1])) {
      const what = `Item '${String(item.id)}' of type 'reasoning'`;
      yield ofInput(`${what} was provided without its required following item.`);
    }
    const reasoning = known.item(String(item.id))?.reasoning;
    if (reasoning !== undefined && !ids.has(reasoning)) {
      const what = `Item '${String(item.id)}' of type '${type}'`;
      yield ofInput(`${what} was provided without its required 'reasoning' item: '${reasoning}'.`);
    }
  }
}

/** Whether an item can be what came of reasoning: something that the model said, called or thought. */
function follows(item: JsonObject | undefined): boolean {
  if (item === undefined) return false;
  const type = typeOf(item);
  return type === "message" ? item.role === "assistant" : !type.endsWith("_output");
}

function notKept(id: string, given: boolean): Problem {
  const hint = "Try again with `store` set to true, or remove this item from your input.";
  const cause = given ? ` Items are not persisted when \`store\` is set to false. ${hint}` : "";
  return { param: "input", message: `Item with id '${id}' not found.${cause}`, code: null, status: 404 };
}

function notVerified(id: string): Problem {
  const message = `The encrypted content for item ${id} could not be verified.`;
  return { param: "input", message, code: "invalid_encrypted_content" };
}

function ofInput(message: string): Problem {
  return { param: "input", message, code: null };
}
