import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ModelRequest,
  type ToolDeclaration,
} from "@tinyagents/core";
import type { MockReply } from "../reply.js";
import { readEvidence } from "../text/evidence.js";
import { keywords } from "../text/words.js";
import { factName, type Known } from "../tools/fill.js";
import { rolesOf, type ToolRole } from "../tools/roles.js";
import { readTurn, type Turn } from "../turn.js";

/** What a rule looks at. */
export interface Situation {
  readonly turn: Turn;
  /** What the question is about. */
  readonly asked: readonly string[];
  /** Tools that may be called now. */
  readonly tools: readonly ToolDeclaration[];
  readonly roles: readonly ToolRole[];
}

/** One idea of what to do. Nothing means that it is for another rule to say. */
export type Rule = (situation: Situation) => MockReply | undefined;

export function readSituation(request: ModelRequest): Situation {
  const turn = readTurn(request.messages);
  const tools = request.toolChoice === "none" ? [] : (request.tools ?? []);
  return { turn, asked: keywords(turn.question), tools, roles: tools.flatMap(rolesOf) };
}

/** What is known, for arguments and structured answers. */
export function knownOf(turn: Turn, answer = ""): Known {
  const facts = new Map<string, JsonValue>();
  for (const { ok, value } of turn.calls) if (ok && isJsonObject(value)) addFacts(facts, value);
  return { question: turn.question, evidence: readEvidence(turn.question), facts, answer };
}

function addFacts(facts: Map<string, JsonValue>, value: JsonObject): void {
  for (const [key, each] of Object.entries(value)) {
    if (isJsonObject(each)) addFacts(facts, each);
    else if (!Array.isArray(each) && each !== null) facts.set(factName(key), each);
  }
}
