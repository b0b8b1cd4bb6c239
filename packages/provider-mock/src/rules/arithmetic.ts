import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import { findFormula } from "../math/find-formula.js";
import { type Formula, formatFormula } from "../math/formula.js";
import { apply, formatNumber } from "../math/operators.js";
import { answer, call, type MockCall } from "../reply.js";
import { firstRole, type RoleOf, type ToolRole } from "../tools/roles.js";
import { sameCall, type Turn } from "../turn.js";
import type { Rule } from "./situation.js";

/** Calculates: with a tool where there is one, operation by operation if need be, else by itself. */
export const arithmetic: Rule = ({ turn, roles }) => {
  const formula = findFormula(turn.question);
  if (formula === undefined) return undefined;
  const work = new Work(turn, roles);
  const result = work.value(formula);
  if (work.due.length > 0) return call(work.due);
  const written = formatFormula(formula);
  if (result === undefined || !Number.isFinite(result))
    return answer(`${written} has no value${divides(formula) ? ": it divides by zero" : ""}.`);
  const how = work.failed === undefined ? "" : ` I calculated it myself, since ${work.failed}.`;
  return answer(`${written} = ${formatNumber(result)}.${how}`);
};

/** Values of formulas as far as they are known, and the calls that would tell more. */
class Work {
  readonly due: MockCall[] = [];
  failed: string | undefined;
  readonly #turn: Turn;
  readonly #calculator: RoleOf<"calculate"> | undefined;
  readonly #operations: readonly RoleOf<"operation">[];

  constructor(turn: Turn, roles: readonly ToolRole[]) {
    this.#turn = turn;
    this.#calculator = firstRole(roles, "calculate");
    this.#operations = roles.filter((role): role is RoleOf<"operation"> => role.type === "operation");
  }

  /** The value, or nothing while a call is due for it. */
  value(formula: Formula): number | undefined {
    if (typeof formula === "number") return formula;
    if (this.#calculator !== undefined) {
      const { tool, param } = this.#calculator;
      return this.#ask({ name: tool.name, args: { [param]: formatFormula(formula) } }, () => calculate(formula));
    }
    const left = this.value(formula.left);
    const right = this.value(formula.right);
    if (left === undefined || right === undefined) return undefined;
    const role = this.#operations.find(({ operator }) => operator === formula.operator);
    const own = (): number => apply(formula.operator, left, right);
    return role === undefined ? own() : this.#ask({ name: role.tool.name, args: argsOf(role, left, right) }, own);
  }

  #ask(planned: MockCall, own: () => number): number | undefined {
    const earlier = sameCall(this.#turn, planned.name, planned.args);
    if (earlier === undefined) {
      this.due.push(planned);
      return undefined;
    }
    const value = earlier.ok ? numberIn(earlier.value) : undefined;
    if (value !== undefined) return value;
    this.failed = earlier.ok ? `${planned.name} gave no number` : `${planned.name} failed (${earlier.text})`;
    return own();
  }
}

function argsOf({ params, choice }: RoleOf<"operation">, left: number, right: number): JsonObject {
  const [first = "", second] = params;
  const numbers = second === undefined ? { [first]: [left, right] } : { [first]: left, [second]: right };
  return choice === undefined ? numbers : { ...numbers, [choice.param]: choice.value };
}

function calculate(formula: Formula): number {
  if (typeof formula === "number") return formula;
  return apply(formula.operator, calculate(formula.left), calculate(formula.right));
}

function divides(formula: Formula): boolean {
  if (typeof formula === "number") return false;
  return formula.operator === "/" || formula.operator === "%" || divides(formula.left) || divides(formula.right);
}

/** The number in a result: the value itself, a text that is one, or the one number of an object. */
function numberIn(value: JsonValue | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string")
    return /^\s*-?\d+(?:\.\d+)?(?:e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : undefined;
  if (!isJsonObject(value)) return undefined;
  const named = [value.result, value.value, value.answer].find((each) => typeof each === "number");
  const numbers = Object.values(value).filter((each) => typeof each === "number");
  const found = named ?? (numbers.length === 1 ? numbers[0] : undefined);
  return typeof found === "number" ? found : undefined;
}
