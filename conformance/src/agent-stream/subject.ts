import type { AgentStreamItem, AnyTool, ChatModel, StreamMode } from "@tinyagents/core";
import type { Claims } from "../check.js";
import { type PlayedModel, playedModel } from "./played-model.js";
import { answerTurn, askingTurn, TOOLS } from "./turns.js";

/** What a run of one check is made with. */
export interface AgentStreamSetting {
  readonly model: ChatModel;
  readonly tools: readonly AnyTool[];
  readonly input: string;
  readonly modes: readonly StreamMode[];
  /** Aborts when the run is no longer wanted. */
  readonly signal: AbortSignal | undefined;
}

/** What the author of a loop says of its streams, to have them checked. */
export interface AgentStreamSubject {
  readonly name: string;
  /** The stream of one run. It has to bring no memory, no prices and no limits of its own. */
  stream(setting: AgentStreamSetting): AsyncIterable<AgentStreamItem>;
  /** Modes that there are not, and why. Their checks are reported as skipped. */
  readonly cannot?: { readonly [M in StreamMode]?: string } | undefined;
}

/** A subject as checks use it. */
export interface AgentStreamUnderTest extends Claims<StreamMode> {
  /** The stream of a run. What is not said is a run that calls two tools and then answers. */
  stream(modes: readonly StreamMode[], setting?: Partial<AgentStreamSetting>): AsyncIterable<AgentStreamItem>;
}

/** A model that calls two tools, and then answers. */
export function busyModel(): PlayedModel {
  return playedModel(askingTurn, answerTurn);
}

export function agentStreamUnderTest(subject: AgentStreamSubject): AgentStreamUnderTest {
  return {
    lacks: (mode) => subject.cannot?.[mode],
    stream: (modes, setting = {}) =>
      subject.stream({ model: busyModel(), tools: TOOLS, input: "Go.", signal: undefined, ...setting, modes }),
  };
}
