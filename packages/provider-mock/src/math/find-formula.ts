import { keywords } from "../text/words.js";
import { type Formula, parseFormula } from "./formula.js";

const NUMBER = String.raw`-?\d+(?:\.\d+)?`;
const LIST = String.raw`(${NUMBER}(?:\s*(?:,|and|,\s*and)\s*${NUMBER})+)`;

/** Ways to say a formula in words, and what they mean in signs. The first ones win. */
const PHRASES: readonly (readonly [RegExp, (...groups: string[]) => string])[] = [
  [/(\d),(?=\d{3}\b)/g, (digit) => digit],
  [/[×✕]/g, () => "*"],
  [/÷/g, () => "/"],
  [/−/g, () => "-"],
  [/\*\*/g, () => "^"],
  [new RegExp(String.raw`\b(?:sum|total) of ${LIST}`, "gi"), (list) => join(list, "+")],
  [new RegExp(String.raw`\badd ${LIST}`, "gi"), (list) => join(list, "+")],
  [new RegExp(String.raw`\badd (${NUMBER}) to (${NUMBER})`, "gi"), (one, other) => `(${other} + ${one})`],
  [new RegExp(String.raw`\bproduct of ${LIST}`, "gi"), (list) => join(list, "*")],
  [new RegExp(String.raw`\bmultiply ${LIST}`, "gi"), (list) => join(list, "*")],
  [new RegExp(String.raw`\bmultiply (${NUMBER}) (?:by|with) (${NUMBER})`, "gi"), (one, other) => `(${one} * ${other})`],
  [new RegExp(String.raw`\bsubtract (${NUMBER}) from (${NUMBER})`, "gi"), (one, other) => `(${other} - ${one})`],
  [
    new RegExp(String.raw`\bdifference (?:between|of) (${NUMBER}) and (${NUMBER})`, "gi"),
    (one, other) => `(${one} - ${other})`,
  ],
  [new RegExp(String.raw`\bdivide (${NUMBER}) by (${NUMBER})`, "gi"), (one, other) => `(${one} / ${other})`],
  [
    new RegExp(String.raw`(${NUMBER})\s*(?:%|percent) of (${NUMBER})`, "gi"),
    (one, other) => `(${one} / 100 * ${other})`,
  ],
  [/\s(?:multiplied by|times)\s/gi, () => " * "],
  [/(?<=\d)\s*x\s*(?=\d)/gi, () => " * "],
  [/\s(?:divided by|over)\s/gi, () => " / "],
  [/\sto the power of\s/gi, () => " ^ "],
  [/\ssquared\b/gi, () => " ^ 2"],
  [/\splus\s/gi, () => " + "],
  [/\sminus\s/gi, () => " - "],
  [/\s(?:mod|modulo)\s/gi, () => " % "],
];

const ASKS =
  /\b(?:calculate|compute|evaluate|how much|what(?:['’]s| is| are)|work out|solve|add|multiply|divide|subtract|sum)\b/i;
const DATE = /\d{4}-\d{2}-\d{2}/;

/** The formula that a question is about; nothing when it is about something else, numbers or not. */
export function findFormula(question: string): Formula | undefined {
  if (DATE.test(question) || !/\d/.test(question)) return undefined;
  const signs = PHRASES.reduce(
    (said, [phrase, meaning]) => said.replace(phrase, (_, ...groups) => meaning(...groups.map(String))),
    question,
  );
  for (const run of longestFirst(signs.match(/[-\d.+*/^%()\s]+/g) ?? [])) {
    const formula = parseFormula(trimmed(run));
    if (formula === undefined || typeof formula === "number") continue;
    const rest = keywords(signs.replace(run, " ")).filter(
      (word) => !/^(?:result|answer|value|equal|equals)$/.test(word),
    );
    return rest.length <= (ASKS.test(question) ? 3 : 1) ? formula : undefined;
  }
  return undefined;
}

function join(list: string, sign: string): string {
  return `(${list.split(/\s*(?:,\s*and|,|and)\s*/).join(` ${sign} `)})`;
}

function longestFirst(runs: readonly string[]): readonly string[] {
  return [...runs].sort((one, other) => other.length - one.length);
}

/** Without the full stop, or the opening parenthesis, that belongs to the sentence. */
function trimmed(run: string): string {
  return run
    .trim()
    .replace(/\.$/, "")
    .replace(/^[*/^%]+/, "");
}
