import type { ErrorRecord } from "../errors.js";
import type { Message } from "../message/message.js";
import type { CostTotals } from "../model/cost.js";
import type { FinishReason } from "../model/delta.js";
import type { ModelUsage, UsageTotals } from "../model/usage.js";
import type { PauseRequest } from "./approval.js";
import type { RunConfig } from "./config.js";
import type { AgentState, Counters, RunStop } from "./state.js";

/** The ways a run can come out. */
export const RUN_STATUSES = ["completed", "incomplete", "refused", "stopped", "paused", "failed"] as const;

/**
 * How a run came out. `incomplete`: the model's last answer was cut (length, filter) or left unfinished. `refused`:
 * the model declined. `stopped`: a tool or middleware ended it early. `failed` only in what an error carries.
 */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The result of a run. */
export interface AgentRun<Output = undefined> {
  readonly status: RunStatus;
  readonly runId: string;
  readonly config: RunConfig;
  /** The visible text of the last answer. Empty when there is none. */
  readonly text: string;
  /** The structured answer, when the agent promises one. Checked. */
  readonly output: Output;
  /** Which variant of a union schema it is. */
  readonly outputVariant?: number;
  /** The whole history. */
  readonly messages: readonly Message[];
  /** What this run added: its input first. */
  readonly newMessages: readonly Message[];
  /** Tokens of this run's own calls. */
  readonly usage: UsageTotals;
  /** Tokens of this run and of all runs below it, each counted once. */
  readonly treeUsage: UsageTotals;
  readonly usageByModel: readonly ModelUsage[];
  /** Absent when no call has a price. */
  readonly cost?: CostTotals;
  readonly counters: Counters;
  /** How long it ran, pauses left out, ms. */
  readonly elapsedMs: number;
  /** Why the model stopped the last time. */
  readonly finishReason?: FinishReason;
  readonly stop?: RunStop;
  /** What it waits for, when paused. */
  readonly requests: readonly PauseRequest[];
  readonly error?: ErrorRecord;
  /** The run as data, to be kept and resumed. */
  readonly state: AgentState;
}
