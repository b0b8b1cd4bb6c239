import type { PauseRequest, Phase } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/** Ends the driving of a run until somebody answers. */
export function pause(run: LiveRun, requests: readonly PauseRequest[], resumeAt: Phase): void {
  const { state } = run;
  state.requests = requests;
  state.resumeAt = resumeAt;
  state.phase = "paused";
  run.event()?.("run.paused", {
    requests: requests.map(({ id, type, callId }) => ({ id, type, ...(callId === undefined ? {} : { callId }) })),
  });
}
