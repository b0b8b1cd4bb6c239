/** A binary operation. */
export type Operator = "+" | "-" | "*" | "/" | "^" | "%";

const WORDS: { readonly [word: string]: Operator } = {
  "+": "+",
  add: "+",
  adds: "+",
  addition: "+",
  plus: "+",
  sum: "+",
  sums: "+",
  "-": "-",
  subtract: "-",
  subtracts: "-",
  subtraction: "-",
  minus: "-",
  difference: "-",
  "*": "*",
  multiply: "*",
  multiplies: "*",
  multiplication: "*",
  times: "*",
  product: "*",
  "/": "/",
  divide: "/",
  divides: "/",
  division: "/",
  quotient: "/",
  "^": "^",
  pow: "^",
  power: "^",
  exponent: "^",
  "%": "%",
  mod: "%",
  modulo: "%",
  remainder: "%",
};

/** The operation that one of the words names, the first that does. */
export function operatorOf(words: readonly string[]): Operator | undefined {
  for (const word of words) {
    const key = word.toLowerCase();
    if (Object.hasOwn(WORDS, key)) return WORDS[key];
  }
  return undefined;
}

export function apply(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "^":
      return left ** right;
    case "%":
      return left % right;
  }
}

/** A number as people write it: no digits that binary fractions made up. */
export function formatNumber(value: number): string {
  return String(Number(value.toPrecision(12)));
}
