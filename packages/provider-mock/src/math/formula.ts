import { formatNumber, type Operator } from "./operators.js";

/** A formula as a tree. */
export type Formula = number | { readonly operator: Operator; readonly left: Formula; readonly right: Formula };

const TOKEN = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([-+*/^%()]))/y;
/** Formulas that nest deeper are not read, so that none can exhaust the stack. */
const MAX_DEPTH = 64;

/** Reads a formula; nothing when the text is none. Precedence as in school: `^` binds to the right. */
export function parseFormula(text: string): Formula | undefined {
  const tokens = tokenize(text);
  if (tokens === undefined || tokens.length === 0) return undefined;
  const reader = new Reader(tokens);
  const formula = reader.sum(0);
  return reader.atEnd ? formula : undefined;
}

/** The text of a formula, with the parentheses that it needs. */
export function formatFormula(formula: Formula): string {
  if (typeof formula === "number") return formula < 0 ? `(${formatNumber(formula)})` : formatNumber(formula);
  const side = (each: Formula): string =>
    typeof each === "number" || binding(each.operator) > binding(formula.operator) || sameChain(formula, each)
      ? formatFormula(each)
      : `(${formatFormula(each)})`;
  return `${side(formula.left)} ${formula.operator} ${side(formula.right)}`;
}

function sameChain(parent: Exclude<Formula, number>, child: Exclude<Formula, number>): boolean {
  return child === parent.left && parent.operator !== "^" && binding(child.operator) === binding(parent.operator);
}

function binding(operator: Operator): number {
  if (operator === "+" || operator === "-") return 1;
  return operator === "^" ? 3 : 2;
}

function tokenize(text: string): string[] | undefined {
  const trimmed = text.trim();
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (match === null) return undefined;
    tokens.push(match[1] ?? match[2] ?? "");
  }
  return tokens;
}

/** Recursive descent. A method gives nothing when what comes is no formula. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  sum(depth: number): Formula | undefined {
    return this.#chain(["+", "-"], () => this.#product(depth));
  }

  #product(depth: number): Formula | undefined {
    return this.#chain(["*", "/", "%"], () => this.#signed(depth));
  }

  #signed(depth: number): Formula | undefined {
    if (depth > MAX_DEPTH) return undefined;
    if (!this.#take("-")) return this.#power(depth);
    const value = this.#signed(depth + 1);
    if (value === undefined) return undefined;
    return typeof value === "number" ? -value : { operator: "-", left: 0, right: value };
  }

  #power(depth: number): Formula | undefined {
    const base = this.#atom(depth);
    if (base === undefined || !this.#take("^")) return base;
    const exponent = this.#signed(depth + 1);
    return exponent === undefined ? undefined : { operator: "^", left: base, right: exponent };
  }

  #atom(depth: number): Formula | undefined {
    if (this.#take("(")) {
      const inner = this.sum(depth + 1);
      return this.#take(")") ? inner : undefined;
    }
    const token = this.#tokens[this.#at];
    if (token === undefined || !/^[\d.]/.test(token)) return undefined;
    this.#at++;
    return Number(token);
  }

  #chain(operators: readonly Operator[], next: () => Formula | undefined): Formula | undefined {
    let left = next();
    for (;;) {
      const operator = operators.find((each) => this.#tokens[this.#at] === each);
      if (left === undefined || operator === undefined) return left;
      this.#at++;
      const right = next();
      left = right === undefined ? undefined : { operator, left, right };
    }
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }
}
