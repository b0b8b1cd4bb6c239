import { answer } from "../reply.js";
import type { Rule } from "./situation.js";

/** The name under which the model is known. */
export const MODEL_ID: string = "mock/rules-1";

/** What stands under answers that could be taken for those of a language model. */
export const NOTE: string = `(${MODEL_ID}, an offline rule-based stand-in, not a language model: it quotes what matches the words of the question.)`;

const WHO =
  /\b(?:who|what) are you\b|\b(?:what|which) (?:kind of |language |ai )*model\b.*\b(?:you|this|answer)|\bwhat can you do\b|\bhow do you work\b|^\s*help\s*[!?.]*\s*$|\bare you (?:an? )?(?:real |language )*(?:ai|llm|model|gpt|chatgpt|claude|gemini|human|person|bot|mock)\b/i;
const GREETING = /^\s*(?:hi|hello|hey|good (?:morning|evening)|thanks|thank you)\b[^?]{0,20}$/i;

/** Says honestly what it is. */
export const aboutItself: Rule = ({ turn, tools }) => {
  const { question } = turn;
  if (!WHO.test(question) && !GREETING.test(question)) return undefined;
  const can =
    tools.length === 0
      ? "You gave me no tools."
      : `You gave me these tools: ${tools.map(({ name }) => name).join(", ")}.`;
  return answer(
    `I am ${MODEL_ID}: an offline, rule-based stand-in, not a language model. I choose tools by simple rules, and answer with what they return. ${can}`,
  );
};
