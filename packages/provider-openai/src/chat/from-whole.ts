import {
  argsText,
  type Block,
  isJsonObject,
  type JsonObject,
  type ModelDelta,
  type ModelWarning,
  malformedAnswer,
  objectsOf,
  saidFields,
  type ToolCallBlock,
  textOf,
  toolCallBlock,
  unknownFields,
} from "@tinyagents/core";
import { toFinishReason } from "./finish.js";
import { CHOICE_FIELDS, MESSAGE_FIELDS, REASONING_FIELDS, RESPONSE_FIELDS } from "./from-stream.js";
import type { ChatQuirks } from "./quirks.js";
import { mergedFields } from "./returned-fields.js";
import { saidIn } from "./said.js";
import { ThinkTags } from "./think-tags.js";
import { usageIn } from "./to-usage.js";
import { CALL_FIELDS } from "./tool-call-assembly.js";

/**
 * Turns an answer of the unary endpoint into deltas, a whole block each. They add up to what its stream adds up to.
 * @throws `provider_server` for what is no answer.
 */
export function readWhole(
  wire: unknown,
  provider: string,
  quirks: ChatQuirks,
  given: readonly ModelWarning[],
): readonly ModelDelta[] {
  const warnings = [...given];
  const body = isJsonObject(wire) ? wire : undefined;
  const choice = Array.isArray(body?.choices) ? body.choices.find(isFirstChoice) : undefined;
  if (body === undefined || !isJsonObject(choice)) throw malformedAnswer(provider, "is no chat completion");
  const message = isJsonObject(choice.message) ? choice.message : {};
  const id = textOf(body.id);
  const content = readMessage(message, { provider, quirks, responseId: id }, warnings);
  const out: ModelDelta[] = [];
  const identity = saidFields({ model: textOf(body.model), responseId: id });
  if (id !== "") out.push({ type: "start", ...identity });
  for (const [index, block] of content.entries()) out.push({ type: "block", index, block });
  const metadata = mergedFields(unknownFields(message, MESSAGE_FIELDS, warnings), quirks);
  if (metadata !== undefined) out.push({ type: "provider", providerMetadata: { [provider]: metadata } });
  const usage = usageIn(body, quirks);
  if (usage !== undefined) out.push({ type: "usage", usage });
  const raw = textOf(choice.finish_reason);
  const providerData = {
    ...unknownFields(body, RESPONSE_FIELDS, warnings),
    ...unknownFields(choice, CHOICE_FIELDS, warnings),
  };
  out.push({
    type: "finish",
    finishReason: toFinishReason(raw, {
      refused: content.some(({ type }) => type === "refusal"),
      called: content.some(({ type }) => type === "tool_call"),
    }),
    ...identity,
    ...saidFields({ rawFinishReason: raw, warnings, providerData }),
  });
  return out;
}

function isFirstChoice(choice: unknown): boolean {
  return isJsonObject(choice) && (choice.index === undefined || choice.index === 0);
}

/** Where a message comes from. */
interface Origin {
  readonly provider: string;
  readonly quirks: ChatQuirks;
  readonly responseId: string;
}

function readMessage(
  message: JsonObject,
  { provider, quirks, responseId }: Origin,
  warnings: ModelWarning[],
): readonly Block[] {
  const content: Block[] = [];
  const field = REASONING_FIELDS.find((name) => textOf(message[name]) !== "");
  const tags = quirks.thinkTags === true ? new ThinkTags() : undefined;
  const said = [...saidIn(message.content, tags), ...(tags?.end() ?? [])];
  const inContent = said.map(({ kind, text }) => (kind === "reasoning" ? text : "")).join("");
  const thought = (field === undefined ? "" : textOf(message[field])) + inContent;
  if (thought !== "") {
    const providerMetadata = { [provider]: { field: field ?? "content" } };
    content.push({ type: "reasoning", text: thought, providerMetadata });
  }
  const text = said.map((one) => (one.kind === "text" ? one.text : "")).join("");
  if (text !== "") content.push({ type: "text", text });
  const refusal = textOf(message.refusal);
  if (refusal !== "") content.push({ type: "refusal", text: refusal });
  objectsOf(message.tool_calls).forEach((call, ordinal) => {
    const id = textOf(call.id) || `${responseId === "" ? "call" : responseId}_${ordinal}`;
    content.push(readCall(call, id, provider, warnings));
  });
  return content;
}

function readCall(call: JsonObject, id: string, provider: string, warnings: ModelWarning[]): ToolCallBlock {
  const inner = isJsonObject(call.function) ? call.function : {};
  const block = toolCallBlock(id, textOf(inner.name), argsText(inner.arguments));
  const own = unknownFields(call, CALL_FIELDS, warnings);
  return own === undefined ? block : { ...block, providerMetadata: { [provider]: own } };
}
