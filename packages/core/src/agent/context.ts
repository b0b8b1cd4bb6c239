import type { Clock } from "../clock.js";
import type { EventSink } from "../event/sink.js";
import type { IdSource, RandomSource } from "../ids.js";
import type { JsonValue } from "../json.js";
import type { CostTotals, PriceSource } from "../model/cost.js";
import type { UsageTotals } from "../model/usage.js";
import type { StoreRegistry } from "../store/registry.js";
import type { RunConfig } from "./config.js";
import type { ResolvedLimits } from "./limits.js";
import type { RunRecorder } from "./recorder.js";
import type { RunPolicy } from "./run-policy.js";
import type { AgentStreamItem } from "./stream-item.js";

/** What surrounds a run and comes from outside: all of it is handed on to runs below it, whose agents may have own stores. */
export interface RunSurroundings {
  /** The application's own data; no model sees it. */
  readonly data?: unknown;
  readonly clock?: Clock | undefined;
  readonly ids?: IdSource | undefined;
  readonly random?: RandomSource | undefined;
  readonly events?: EventSink | undefined;
  readonly stores?: StoreRegistry | undefined;
  readonly recorder?: RunRecorder | undefined;
}

/** What a driver hands to each step. */
export interface StepContext extends RunSurroundings {
  /** Cancels the step. */
  readonly signal?: AbortSignal | undefined;
  /** Takes each item as it comes. A promise holds the run until it settles. */
  emit?(item: AgentStreamItem): void | Promise<void>;
}

/** A run as its tools and middleware see it. */
export interface RunContext {
  readonly config: RunConfig;
  readonly data: unknown;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly random: RandomSource;
  /** @throws `invalid_request` when the run was given none. */
  readonly stores: StoreRegistry;
  readonly events: EventSink | undefined;
  readonly recorder: RunRecorder | undefined;
  /** Aborts when the run is cancelled or its time is up. Made when first read. */
  readonly signal: AbortSignal;
  /** How the run decides: what its agent was given, never looser than what the run above it has. Its limits are in `config`. */
  readonly policies: RunPolicy;
  /** Where prices come from: the agent's, else those of the run above. */
  readonly prices: PriceSource | undefined;
  /** Own tokens so far. */
  readonly usage: UsageTotals;
  /** Own tokens so far, and those of finished runs below. */
  readonly treeUsage: UsageTotals;
  /** Own cost so far, and that of finished runs below; `undefined` while no call has a price. */
  readonly cost: CostTotals | undefined;
  /** What is left of the run's limits: the most that a run below it may have. */
  remainingLimits(): Partial<ResolvedLimits>;
  /** Emits a `custom` event. Free when nobody listens. */
  emit(name: string, payload: JsonValue): void;
}
