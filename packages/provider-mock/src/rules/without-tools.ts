import { answer } from "../reply.js";
import { summarize } from "../text/summarize.js";
import { MODEL_ID, NOTE } from "./identity.js";
import type { Rule } from "./situation.js";

/** From here on a question brings its own text. */
const LONG = 300;

/** The last word: quotes from a text that came with the question, or says that it can do nothing. */
export const withoutTools: Rule = ({ turn, tools }) => {
  const { question } = turn;
  if (question.trim() === "") return answer(`There is no question. I am ${MODEL_ID}, an offline rule-based stand-in.`);
  if (question.length >= LONG) {
    const { passages } = summarize(question, [{ name: "your text", text: question }]);
    if (passages.length > 0) return answer(`${passages.map(({ text }) => text).join(" ")}\n\n${NOTE}`);
  }
  const why = tools.length === 0 ? "I have no tools to look with" : "none of my tools fits the question";
  return answer(
    `I cannot answer that: ${why}. I am ${MODEL_ID}, an offline rule-based stand-in, not a language model; without a tool I can only calculate.`,
  );
};
