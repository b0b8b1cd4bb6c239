import type { ControlBy, Phase } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { closeOpenCalls, openCalls } from "./open-calls.js";
import { pause } from "./pause.js";

/**
 * Does what a hook asked for. True when it decided where the run goes: the caller then leaves the phase alone.
 * `resumeAt` is where a run goes on that the control pauses.
 * @throws the error of a `fail`.
 */
export async function honour(run: LiveRun, control: ControlBy, resumeAt: Phase): Promise<boolean> {
  const { state } = run;
  if (control.type === "retry") return false;
  run.event()?.("control.applied", { control: control.type, by: control.by });
  switch (control.type) {
    case "fail":
      throw control.error;
    case "interrupt":
      pause(run, [middlewareRequest(run, control)], resumeAt);
      return true;
    case "stop":
      closeOpenCalls(run, "not_run", `This call was not run: ${control.by} ended the run.`);
      state.stop = {
        by: "middleware",
        name: control.by,
        ...(control.payload === undefined ? {} : { payload: control.payload }),
      };
      state.phase = "finalize";
      return true;
    case "jump":
      return jump(run, control.to, control.by);
  }
}

function jump(run: LiveRun, to: "model" | "tools" | "end", by: string): boolean {
  const { state } = run;
  if (to === "tools" && openCalls(state.messages).length > 0) {
    state.phase = "parse";
    return true;
  }
  closeOpenCalls(run, "not_run", `This call was not run: ${by} went on without it.`);
  state.phase = to === "end" ? "stop_check" : state.edits.length > 0 ? "compact" : "dispatch";
  return true;
}

function middlewareRequest(
  run: LiveRun,
  control: ControlBy & { readonly type: "interrupt" },
): Parameters<typeof pause>[1][number] {
  return {
    id: run.ids.next("interrupt"),
    type: "interrupt",
    runId: run.state.config.runId,
    middleware: control.by,
    payload: control.payload,
  };
}
