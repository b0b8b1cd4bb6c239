import { type JsonValue, type ModelRequest, TinyAgentsError, type ToolDeclaration } from "@tinyagents/core";
import { answer, call, type MockReply, type MockRule } from "./reply.js";
import { anyTool, demandedCall } from "./rules/any-tool.js";
import { arithmetic } from "./rules/arithmetic.js";
import { documents } from "./rules/documents.js";
import { aboutItself } from "./rules/identity.js";
import { knownOf, type Rule, readSituation, type Situation } from "./rules/situation.js";
import { withoutTools } from "./rules/without-tools.js";
import { fill } from "./tools/fill.js";
import { sharedWords } from "./tools/roles.js";

/** The first that has something to say decides. */
const RULES: readonly Rule[] = [aboutItself, arithmetic, anyTool, documents, withoutTools];

/**
 * What to do next. Rules of the application come first, and have the last word. The others look at the
 * last question, the tools and what came of the calls since. The same request always gives
 * the same reply.
 * @throws `invalid_request` when the request demands a tool that it does not declare.
 */
export function decide(request: ModelRequest, rules: readonly MockRule[] = []): MockReply {
  for (const rule of rules) {
    const reply = rule(request);
    if (reply !== undefined) return reply;
  }
  const situation = readSituation(request);
  const reply = firstReply(situation);
  const demanded = demandedTool(request, situation, reply);
  if (demanded !== undefined) return call([demandedCall(demanded, situation, textOf(reply))]);
  return reply.type === "answer" ? answer(shaped(reply.text, request, situation)) : reply;
}

function firstReply(situation: Situation): MockReply {
  for (const rule of RULES) {
    const reply = rule(situation);
    if (reply !== undefined) return reply;
  }
  return answer("");
}

/** The tool that has to be called although the rules would not. */
function demandedTool(
  { toolChoice, tools = [] }: ModelRequest,
  situation: Situation,
  reply: MockReply,
): ToolDeclaration | undefined {
  if (toolChoice === undefined || toolChoice === "auto" || toolChoice === "none") return undefined;
  if (toolChoice === "required") {
    if (tools.length === 0) throw badChoice("it demands a tool call and declares no tools");
    return reply.type === "calls" ? undefined : nearest(tools, situation.asked);
  }
  const named = tools.find(({ name }) => name === toolChoice.name);
  if (named === undefined) throw badChoice(`it demands the tool "${toolChoice.name}" and does not declare it`);
  const chosen = reply.type === "calls" && reply.calls.every(({ name }) => name === named.name);
  return chosen ? undefined : named;
}

function nearest(tools: readonly ToolDeclaration[], asked: readonly string[]): ToolDeclaration | undefined {
  const scored = tools.map((tool) => ({ tool, score: sharedWords(tool, asked).all }));
  return scored.sort((one, other) => other.score - one.score)[0]?.tool;
}

/** The answer in the form that the request asks for. */
function shaped(text: string, { responseFormat }: ModelRequest, situation: Situation): string {
  if (responseFormat === undefined || responseFormat.type === "text") return text;
  const value: JsonValue =
    responseFormat.type === "json"
      ? { answer: text }
      : fill(responseFormat.schema, knownOf(situation.turn, text)).value;
  return JSON.stringify(value);
}

function textOf(reply: MockReply): string {
  return reply.type === "answer" ? reply.text : "";
}

function badChoice(reason: string): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", `The request cannot be answered: ${reason}.`, { details: { reason } });
}
