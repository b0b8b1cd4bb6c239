import type { JsonObject } from "../json.js";
import type { AgentInput } from "../message/build.js";
import type { Capability } from "../model/profile.js";
import type { StepContext } from "./context.js";
import type { Limits } from "./limits.js";
import type { UnknownToolPolicy } from "./run-policy.js";
import type { AgentState } from "./state.js";

/** Who a run is, for whoever starts it. */
export interface StartOptions {
  /** Default: a new one. */
  readonly runId?: string | undefined;
  /** The thread whose memory it loads and saves. */
  readonly threadId?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly configurable?: JsonObject | undefined;
  /** Narrow or widen the agent's own. */
  readonly limits?: Limits | undefined;
  /** In place of the agent's policy, for this run: what to do about a call for a tool that is not offered. */
  readonly unknownTool?: UnknownToolPolicy | undefined;
  /** The model of its calls, by its name, alias or route in the agent's registry: this one and no other. */
  readonly model?: string | undefined;
  /** Models that would be good, by name, best first. */
  readonly hints?: readonly string[] | undefined;
  /** Capabilities without which no call may be made, beside those of the agent's settings. */
  readonly requires?: readonly Capability[] | undefined;
  /** Whether the model that answered the thread before is asked again, if it can. */
  readonly reuseModel?: boolean | undefined;
}

/**
 * The agent loop as a machine: any driver can move it, in one process or in several, and ends with the same history.
 */
export interface AgentMachine {
  readonly name: string;
  /** A new run, with nothing done yet. */
  initialState(input: AgentInput, options?: StartOptions): AgentState;
  /**
   * Does the one thing that is due: at most one model call, or one batch of tool calls. Takes the state over. A run
   * that fails is a state in phase `failed`; the promise rejects only when the recorder or the driver's own `emit` does,
   * and for a state that cannot be moved.
   * @throws `corrupt_data` or `version_mismatch` for what is no state; TypeError while another step of it is under way.
   */
  step(state: AgentState, context?: StepContext): AgentState | Promise<AgentState>;
}
