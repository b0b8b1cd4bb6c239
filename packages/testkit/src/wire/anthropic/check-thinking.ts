import { isJsonObject, type JsonObject } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import type { Turn } from "./check-turns.js";
import { wrong } from "./wrong.js";

/** What was thought, by the signature that was given for it. */
export type Signatures = ReadonlyMap<string, string>;

const MODES = ["enabled", "disabled", "adaptive", "between_tools"];
const SHORTEST_BUDGET = 1_024;

/**
 * What the API refuses in the settings of thinking, and in settings that do not go with it.
 * @see https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function* checkThinking(body: JsonObject, interleaved: boolean): Generator<Problem> {
  const { thinking, tool_choice: choice, max_tokens: longest, temperature, top_k: topK, top_p: topP } = body;
  if (thinking === undefined) return;
  if (!isJsonObject(thinking) || !MODES.includes(String(thinking.type))) {
    return yield wrong("thinking.type", `Input should be ${MODES.map((mode) => `'${mode}'`).join(" or ")}`);
  }
  if (thinking.type === "disabled") return;
  if (thinking.type === "enabled") yield* checkBudget(thinking, Number(longest), interleaved);
  if (isJsonObject(choice) && (choice.type === "any" || choice.type === "tool")) {
    yield wrong("tool_choice", "Thinking may not be enabled when tool_choice forces tool use.");
  }
  if (temperature !== undefined && temperature !== 1) {
    yield wrong("temperature", "`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (topK !== undefined) yield wrong("top_k", "`top_k` must be unset when thinking is enabled.");
  if (typeof topP === "number" && topP < 0.95) {
    yield wrong("top_p", "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.");
  }
}

function* checkBudget(
  { budget_tokens: budget }: JsonObject,
  longest: number,
  interleaved: boolean,
): Generator<Problem> {
  const place = "thinking.enabled.budget_tokens";
  if (budget === undefined) return yield wrong(place, "Field required");
  if (!Number.isInteger(budget) || Number(budget) < SHORTEST_BUDGET) {
    return yield wrong(place, `Input should be greater than or equal to ${SHORTEST_BUDGET}`);
  }
  if (!interleaved && Number(budget) >= longest) {
    yield wrong("max_tokens", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
}

/** What the API refuses in the thinking of a history. */
export function* checkThought(body: JsonObject, turns: readonly Turn[], signatures: Signatures): Generator<Problem> {
  for (const [at, { blocks }] of turns.entries()) {
    for (const [place, { type, thinking, signature }] of blocks.entries()) {
      const given = type === "thinking" ? signatures.get(String(signature)) : undefined;
      if (given !== undefined && given !== thinking) {
        yield wrong(`messages.${at}.content.${place}`, "Invalid `signature` in `thinking` block");
      }
    }
    if (blocks.at(-1)?.type === "thinking") {
      yield wrong(`messages.${at}`, "The final block in an assistant message cannot be `thinking`.");
    }
  }
  if (isJsonObject(body.thinking) && body.thinking.type === "enabled") yield* checkOpenTurn(turns);
}

/** While results of tools are being sent, the turn that asked for them begins with what was thought. */
function* checkOpenTurn(turns: readonly Turn[]): Generator<Problem> {
  if (!hasResults(turns.at(-1))) return;
  let start = turns.length - 1;
  while (start > 0 && (turns[start]?.role === "assistant" || hasResults(turns[start]))) start--;
  const first = turns.findIndex(({ role }, at) => at > start && role === "assistant");
  const type = turns[first]?.blocks[0]?.type ?? "text";
  if (type === "thinking" || type === "redacted_thinking") return;
  const rule =
    "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost " +
    "set of `tool_use` and `tool_result` blocks).";
  const expected = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(type)}\`.`;
  yield wrong(`messages.${first}.content.0.type`, `${expected} ${rule}`);
}

function hasResults(turn: Turn | undefined): boolean {
  return turn?.role === "user" && turn.blocks.some(({ type }) => type === "tool_result");
}
