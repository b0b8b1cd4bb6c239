import { type ControlBy, openCalls, type Phase, type RunStop, TinyAgentsError } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { closeOpenCalls } from "./open-calls.js";
import { pause } from "./pause.js";

/**
 * Does what a hook asked for. True when it decided where the run goes: the caller then leaves the phase alone.
 * `resumeAt` is where a run goes on that the control pauses.
 * @throws the error of a `fail`.
 */
export async function honour(run: LiveRun, control: ControlBy, resumeAt: Phase): Promise<boolean> {
  const { state } = run;
  if (changesNothing(run, control)) return false;
  run.event()?.("control.applied", { control: control.type, by: control.by });
  switch (control.type) {
    case "fail":
      throw control.error;
    case "interrupt":
      delete state.answers[control.by];
      pause(run, [middlewareRequest(run, control)], resumeAt);
      return true;
    case "stop":
      closeOpenCalls(run, "not_run", `This call was not run: ${control.by} ended the run.`);
      state.stop = stopBy(control);
      state.phase = "finalize";
      return true;
    case "jump":
      jump(run, control.to, control.by);
      return true;
    case "retry":
      return false;
  }
}

/** The end that a `stop` of a hook is. */
export function stopBy({ by, payload }: ControlBy & { readonly type: "stop" }): RunStop {
  return { by: "middleware", name: by, ...(payload === undefined ? {} : { payload }) };
}

/** A repeat is for failed calls; no jump leads to tool calls when none are due. */
function changesNothing(run: LiveRun, control: ControlBy): boolean {
  if (control.type === "retry") return true;
  return control.type === "jump" && control.to === "tools" && openCalls(run.state.messages).length === 0;
}

/** Jumps without a model call between them, before they count as endless. */
const MOST_JUMPS_IN_A_ROW = 8;

/** @throws `middleware_failed` for a place that there is not, and for jumps that lead nowhere. */
function jump(run: LiveRun, to: "model" | "tools" | "end", by: string): void {
  const { state } = run;
  if (to !== "model" && to !== "tools" && to !== "end")
    throw badJump(by, `there is no place "${String(to)}" to jump to`);
  run.jumps++;
  if (run.jumps > MOST_JUMPS_IN_A_ROW) throw badJump(by, "jumps follow on jumps, and no model call is ever made");
  if (state.stop?.by !== "limit") state.stop = null;
  if (to === "tools") {
    state.phase = "parse";
    return;
  }
  closeOpenCalls(run, "not_run", `This call was not run: ${by} went on without it.`);
  state.phase = to === "end" ? "stop_check" : state.edits.length > 0 ? "compact" : "dispatch";
}

function badJump(by: string, reason: string): TinyAgentsError<"middleware_failed"> {
  return new TinyAgentsError(
    "middleware_failed",
    `The middleware ${by} asked for a jump that cannot be made: ${reason}.`,
    {
      details: { middleware: by, hook: "control" },
    },
  );
}

/** What a paused run waits for when a hook asked. */
export function middlewareRequest(
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
