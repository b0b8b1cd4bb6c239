import {
  addCost,
  addModelCall,
  type CallCost,
  emptyUsage,
  type ResolvedModel,
  type RunStatusRecord,
  type SpentSoFar,
  splitCost,
  type Usage,
} from "@tinyagents/core";

/** Counts a model call. It is without a price until {@link countCost} hears of one: not every call has an event that says so. */
export function countUsage(status: RunStatusRecord, model: ResolvedModel, usage: Usage | undefined): RunStatusRecord {
  const isOfModel = (line: RunStatusRecord["usageByModel"][number]): boolean => line.model.id === model.id;
  const lines = status.usageByModel.some(isOfModel)
    ? status.usageByModel
    : [...status.usageByModel, { model, usage: emptyUsage() }];
  return {
    ...status,
    ...spent(status, (sum) => addCost(sum, { cost: undefined, calls: 1, unpricedCalls: 0 })),
    usage: addModelCall(status.usage, usage),
    usageByModel: lines.map((line) => (isOfModel(line) ? { ...line, usage: addModelCall(line.usage, usage) } : line)),
  };
}

/** The price of the call that was counted last. */
export function countCost(status: RunStatusRecord, cost: CallCost | undefined): RunStatusRecord {
  if (cost === undefined) return status;
  const { cost: before, unpricedCalls } = status;
  const counted = {
    cost: before === null ? null : { ...before, unpricedCalls: Math.max(0, before.unpricedCalls - 1) },
    unpricedCalls: before === null ? Math.max(0, unpricedCalls - 1) : unpricedCalls,
  };
  const added = spent(counted, (sum) => addCost(sum, { cost: splitCost(cost), calls: 1, unpricedCalls: 0 }));
  return { ...status, ...added };
}

function spent(
  { cost, unpricedCalls }: SpentSoFar,
  add: (sum: SpentSoFar) => void,
): Pick<RunStatusRecord, "cost" | "unpricedCalls"> {
  const sum: SpentSoFar = { cost, unpricedCalls };
  add(sum);
  return sum;
}
