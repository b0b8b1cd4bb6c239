import { addMoney, type Money } from "@tinyagents/core";
import type { LiveState } from "./live-state.js";

/** What some model calls cost. `unpricedCalls` of them are not in `cost`; without a `cost`, none of them is. */
export interface Spent {
  readonly cost: Money | undefined;
  readonly calls: number;
  readonly unpricedCalls: number;
}

/**
 * Adds what was spent to a run's cost. Calls without a price, and those in another currency than the first, are counted
 * as unpriced: they are never taken to be free.
 */
export function addCost(state: LiveState, { cost, calls, unpricedCalls }: Spent): void {
  const { cost: before } = state;
  const addable = cost !== undefined && (before === null || before.currency === cost.currency);
  const unpriced = addable ? unpricedCalls : calls;
  if (before === null && !addable) {
    state.unpricedCalls += unpriced;
    return;
  }
  const earlier = before?.unpricedCalls ?? state.unpricedCalls;
  const sum = before === null ? cost : addable ? addMoney(before, cost) : before;
  if (sum === undefined) return;
  state.cost = { amount: sum.amount, currency: sum.currency, unpricedCalls: earlier + unpriced };
}
