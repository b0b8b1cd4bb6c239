import { isJsonObject, type JsonObject, type ModelRequest, type ModelWarning, support } from "@tinyagents/core";
import type { Settings } from "./options.js";
import { isThought, type Turn } from "./turns.js";

type Effort = NonNullable<ModelRequest["reasoningEffort"]>;

/** How a model is told to think. */
export interface Thinking {
  readonly thinking?: JsonObject;
  /** For `output_config`. */
  readonly effort?: string;
}

/** What thinking depends on besides the effort that is asked for. */
export interface ThinkingContext {
  readonly settings: Settings;
  readonly request: ModelRequest;
  /** The provider's own option `thinking`. What it says of the display stays. */
  readonly own: JsonObject | undefined;
  /** The model must call a tool. */
  readonly isForced: boolean;
  readonly maxTokens: number;
  readonly turns: readonly Turn[];
  readonly warnings: ModelWarning[];
}

/** Tokens for each effort, where a model is told a number of tokens. */
const BUDGETS: { readonly [E in Effort]: number } = { minimal: 1_024, low: 4_096, medium: 12_288, high: 32_768 };
/** The least that the server takes. */
const SMALLEST_BUDGET = 1_024;
/** Thinking counts as output; so much is left for the answer. */
const ANSWER_TOKENS = 1_024;

/**
 * The request's effort in the words of the model's generation. A demanded tool comes before thinking, since the two do
 * not go together: the model is then not asked to think.
 * @see https://platform.claude.com/docs/en/build-with-claude/thinking
 * @see https://platform.claude.com/docs/en/build-with-claude/effort
 */
export function toThinking(context: ThinkingContext): Thinking {
  const { settings, request } = context;
  const effort = request.reasoningEffort;
  if (effort === undefined) return asGiven(context);
  if (support(settings.profile, "reasoning") === "no") {
    return unasked(context, "unsupported_setting", `${settings.model} does not think; reasoningEffort was not sent.`);
  }
  return settings.traits.thinking === "effort" ? byEffort(context, effort) : byBudget(context, effort);
}

/** What the application itself says of thinking. */
function asGiven(context: ThinkingContext): Thinking {
  const { own, isForced } = context;
  if (own === undefined) return {};
  if (!isForced || !asksToThink(own)) return { thinking: own };
  return unasked(context, "changed_setting", "A tool is demanded: the model is not asked to think.", "providerOptions");
}

function byEffort(context: ThinkingContext, effort: Effort): Thinking {
  const { settings, own, isForced } = context;
  const level = effort === "minimal" ? "low" : effort;
  if (level !== effort) warn(context, "changed_setting", `${settings.model} knows no minimal effort; low was sent.`);
  if (isForced) {
    warn(context, "changed_setting", "A tool is demanded: the effort was sent, but the model is not asked to think.");
    return { effort: level };
  }
  return { thinking: { ...withoutBudget(own), type: "adaptive" }, effort: level };
}

function byBudget(context: ThinkingContext, effort: Effort): Thinking {
  const { own, isForced, maxTokens, turns } = context;
  if (isForced) {
    return unasked(context, "changed_setting", "A tool is demanded: the model is not asked to think.");
  }
  if (isInUnthoughtLoop(turns)) {
    const message = "The calls that are answered here were made without thinking: the model is not asked to think.";
    return unasked(context, "changed_setting", message);
  }
  const room = maxTokens - ANSWER_TOKENS;
  if (room < SMALLEST_BUDGET) {
    const message = `With at most ${maxTokens} tokens to write there is no room to think.`;
    return unasked(context, "unsupported_setting", message);
  }
  const budget = Math.min(BUDGETS[effort], room);
  if (budget < BUDGETS[effort]) {
    warn(context, "changed_setting", `The model may think for ${budget} tokens: the rest is for the answer.`);
  }
  return { thinking: { ...withoutBudget(own), type: "enabled", budget_tokens: budget } };
}

/**
 * While results are sent back, the server wants the first answer since the user spoke to begin with a thought. What the
 * user says together with results may count as speaking, or may not: both first answers have to.
 */
function isInUnthoughtLoop(turns: readonly Turn[]): boolean {
  if (!hasResults(turns.at(-1))) return false;
  const before = turns.slice(0, -1);
  const starts = [before.findLastIndex(isQuestion), before.findLastIndex(isSpoken)];
  return starts.some((start) => {
    const [first] = before.slice(start + 1).find(({ role }) => role === "assistant")?.content ?? [];
    return first === undefined || !isThought(first);
  });
}

function hasResults(turn: Turn | undefined): boolean {
  return turn?.role === "user" && turn.content[0]?.type === "tool_result";
}

/** Whether the user speaks, and nothing else. */
function isQuestion(turn: Turn): boolean {
  return turn.role === "user" && !hasResults(turn);
}

/** Whether the user speaks, with results or without. */
function isSpoken({ role, content }: Turn): boolean {
  return role === "user" && content.some(({ type }) => type !== "tool_result");
}

function unasked(context: ThinkingContext, code: ModelWarning["code"], message: string, setting?: string): Thinking {
  warn(context, code, message, setting);
  return {};
}

function warn(
  { warnings }: ThinkingContext,
  code: ModelWarning["code"],
  message: string,
  setting: string = "reasoningEffort",
): void {
  warnings.push({ code, setting, message });
}

function withoutBudget(own: JsonObject | undefined): JsonObject {
  const { budget_tokens: _, ...rest } = own ?? {};
  return rest;
}

/** Whether the model thinks because the request says so. */
export function asksToThink(thinking: unknown): boolean {
  return isJsonObject(thinking) && (thinking.type === "enabled" || thinking.type === "adaptive");
}
