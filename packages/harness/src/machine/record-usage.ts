import {
  addCost,
  addModelCall,
  costByPrices,
  emptyUsage,
  type ResolvedModel,
  type Spent,
  splitCost,
  type Usage,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/**
 * Counts one model call: into the run's totals, its model's line, and the cost.
 * @throws `invalid_request` for a price that is none.
 */
export function recordUsage(run: LiveRun, callId: string, model: ResolvedModel, usage: Usage | undefined): void {
  const { state } = run;
  state.usage = addModelCall(state.usage, usage);
  const line = state.usageByModel.find((known) => known.model.id === model.id);
  if (line === undefined)
    state.usageByModel.push({ model: withoutChain(model), usage: addModelCall(emptyUsage(), usage) });
  else line.usage = addModelCall(line.usage, usage);
  run.event()?.("usage.recorded", usage === undefined ? { callId, model } : { callId, model, usage });
  if (run.definition.prices === undefined && usage?.charged === undefined) addCost(state, UNPRICED_CALL);
  else recordCost(run, callId, model, usage);
}

/** A model's line is about all its calls: what failed before one of them is not. */
function withoutChain(model: ResolvedModel): ResolvedModel {
  if (model.failed === undefined) return model;
  const { failed: _, ...identity } = model;
  return identity;
}

const UNPRICED_CALL: Spent = { cost: undefined, calls: 1, unpricedCalls: 0 };

function recordCost(run: LiveRun, callId: string, model: ResolvedModel, usage: Usage | undefined): void {
  const cost = costByPrices(run.definition.prices, model, usage);
  addCost(run.state, { cost: cost === undefined ? undefined : splitCost(cost), calls: 1, unpricedCalls: 0 });
  run.event()?.("cost.recorded", cost === undefined ? { callId, model } : { callId, model, cost });
}
