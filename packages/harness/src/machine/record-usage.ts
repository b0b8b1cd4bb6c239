import { addModelCall, costOf, emptyUsage, type ResolvedModel, type Usage } from "@tinyagents/core";
import { addCost, type Spent } from "../run/add-cost.js";
import type { LiveRun } from "../run/live-run.js";

/** Counts one model call: into the run's totals, its model's line, and the cost. */
export function recordUsage(run: LiveRun, callId: string, model: ResolvedModel, usage: Usage | undefined): void {
  const { state } = run;
  state.usage = addModelCall(state.usage, usage);
  const line = state.usageByModel.find((known) => known.model.id === model.id);
  if (line === undefined) state.usageByModel.push({ model, usage: addModelCall(emptyUsage(), usage) });
  else line.usage = addModelCall(line.usage, usage);
  run.event()?.("usage.recorded", usage === undefined ? { callId, model } : { callId, model, usage });
  if (run.definition.prices === undefined) addCost(state, UNPRICED_CALL);
  else recordCost(run, callId, model, usage);
}

const UNPRICED_CALL: Spent = { cost: undefined, calls: 1, unpricedCalls: 0 };

function recordCost(run: LiveRun, callId: string, model: ResolvedModel, usage: Usage | undefined): void {
  const price = run.definition.prices?.priceOf(model);
  const cost = price === undefined ? undefined : costOf(usage, price);
  addCost(run.state, { cost, calls: 1, unpricedCalls: 0 });
  run.event()?.("cost.recorded", cost === undefined ? { callId, model } : { callId, model, cost });
}
