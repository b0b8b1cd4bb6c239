import { addMoney, type CallCost, type CostTotals } from "./cost.js";

/** An amount, and how much of it was charged and how much estimated. */
type SplitCost = Omit<CostTotals, "unpricedCalls">;

/** The cost of a run so far, for whoever adds to it. */
export interface SpentSoFar {
  /** `null` while no call has a price. */
  cost: CostTotals | null;
  /** Model calls without a price, while no call had one. */
  unpricedCalls: number;
}

/** What some model calls cost. `unpricedCalls` of them are not in `cost`; without a `cost`, none of them is. */
export interface Spent {
  readonly cost: SplitCost | undefined;
  readonly calls: number;
  readonly unpricedCalls: number;
}

/** What one call cost, as totals have it. */
export function splitCost({ amount, currency, source }: CallCost): SplitCost {
  return source === "charged"
    ? { amount, currency, charged: amount, estimated: "0" }
    : { amount, currency, charged: "0", estimated: amount };
}

/**
 * Adds what was spent to a run's cost, in place. Calls without a price, and those in another currency than the first, are counted
 * as unpriced: they are never taken to be free.
 */
export function addCost(state: SpentSoFar, { cost, calls, unpricedCalls }: Spent): void {
  const { cost: before } = state;
  const addable = cost !== undefined && (before === null || before.currency === cost.currency);
  const unpriced = addable ? unpricedCalls : calls;
  if (before === null && !addable) {
    state.unpricedCalls += unpriced;
    return;
  }
  const earlier = before?.unpricedCalls ?? state.unpricedCalls;
  const sum = before === null ? cost : addable ? plus(before, cost) : before;
  if (sum === undefined) return;
  const { amount, currency, charged, estimated } = sum;
  state.cost = { amount, currency, charged, estimated, unpricedCalls: earlier + unpriced };
}

function plus(one: SplitCost, other: SplitCost): SplitCost {
  const { currency } = one;
  const add = (a: string, b: string): string => {
    if (a === "0" || b === "0") return a === "0" ? b : a;
    return addMoney({ amount: a, currency }, { amount: b, currency }).amount;
  };
  const charged = add(one.charged, other.charged);
  const estimated = add(one.estimated, other.estimated);
  return { amount: add(charged, estimated), currency, charged, estimated };
}
