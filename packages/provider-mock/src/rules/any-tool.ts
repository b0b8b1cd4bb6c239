import { isJsonObject, type JsonObject, type JsonValue, type ToolDeclaration } from "@tinyagents/core";
import { answer, call, type MockCall } from "../reply.js";
import { shorten } from "../text/summarize.js";
import { type Filled, fill } from "../tools/fill.js";
import { changesSomething, propertiesOf, requiredOf, sharedWords, typeOf } from "../tools/roles.js";
import { type FinishedCall, sameCall } from "../turn.js";
import { kindOf } from "./looked.js";
import { knownOf, type Rule, type Situation } from "./situation.js";

const MAX_PARALLEL = 4;
const MAX_RESULT_CHARS = 600;

interface Candidate {
  readonly calls: readonly MockCall[];
  readonly score: number;
  readonly named: boolean;
}

/** Any other tool: called when the question speaks of it and has what it needs; then its results are told. */
export const anyTool: Rule = (situation) => {
  const { turn, roles } = situation;
  const done = turn.calls.filter((each) => kindOf(each, roles) === "other");
  const hasFiles = roles.some(({ type }) => type === "search" || type === "read");
  const candidates = roles
    .filter(({ type }) => type === "other")
    .map(({ tool }) => candidateOf(tool, situation, hasFiles))
    .filter((each): each is Candidate => each !== undefined)
    .sort((one, other) => other.score - one.score);
  const chosen = candidates.filter((each, place) => place === 0 || each.named).flatMap(({ calls }) => calls);
  const due = chosen.filter(({ name, args }) => sameCall(turn, name, args) === undefined);
  if (due.length > 0) return call(due.slice(0, MAX_PARALLEL));
  return done.length === 0 ? undefined : answer(done.map(tell).join("\n"));
};

/** Calls of a tool with the least that its schema asks for, where a call is demanded. */
export function demandedCall(tool: ToolDeclaration, situation: Situation, answerText: string): MockCall {
  return { name: tool.name, args: asObject(fill(tool.inputSchema, knownOf(situation.turn, answerText))) };
}

function candidateOf(tool: ToolDeclaration, { turn, asked }: Situation, needsWord: boolean): Candidate | undefined {
  const known = knownOf(turn);
  const filled = fill(tool.inputSchema, known);
  const shared = sharedWords(tool, asked);
  const score = shared.all * 2 + filled.known;
  if (filled.guessed > 0 || score === 0) return undefined;
  if (shared.all === 0 && (needsWord || changesSomething(tool) || !standsOnNames(tool, known.evidence)))
    return undefined;
  return { calls: perName(tool, asObject(filled), known.evidence.names), score, named: shared.name > 0 };
}

/** Without a common word, only what the question calls by name says that a tool is meant: a whole question would fit any. */
function standsOnNames(
  tool: ToolDeclaration,
  { names, quoted, urls, emails }: ReturnType<typeof knownOf>["evidence"],
): boolean {
  const needsText = requiredOf(tool.inputSchema).some(
    (key) => typeOf(propertiesOf(tool.inputSchema)[key] ?? {}) === "string",
  );
  return needsText && names.length + quoted.length + urls.length + emails.length > 0;
}

/** "in Oslo and Rome": one call for each, when the tool takes one name. */
function perName(tool: ToolDeclaration, args: JsonObject, names: readonly string[]): readonly MockCall[] {
  const at = Object.entries(args).filter(([, value]) => value === names[0]);
  const [param] = at[0] ?? [];
  if (param === undefined || at.length > 1 || requiredOf(tool.inputSchema).length !== 1)
    return [{ name: tool.name, args }];
  return names.map((name) => ({ name: tool.name, args: { ...args, [param]: name } }));
}

function asObject({ value }: Filled): JsonObject {
  return isJsonObject(value) ? value : {};
}

function tell({ name, args, ok, value, text }: FinishedCall): string {
  const asked = Object.values(args).map(plain).join(", ");
  const place = asked === "" ? name : `${name} (${shorten(asked, 80)})`;
  return ok
    ? `${place}: ${shorten(plain(value ?? text), MAX_RESULT_CHARS)}`
    : `I could not tell: ${place} failed: ${text}`;
}

function plain(value: JsonValue): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(plain).join(", ");
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key.replaceAll("_", " ")}: ${plain(each)}`)
    .join(", ");
}
