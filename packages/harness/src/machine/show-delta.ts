import type { ModelDelta } from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";

/** Passes a fragment on to whoever watches: as an event, and as an item of a stream. A promise holds the call up. */
export function showDelta(run: LiveRun, callId: string, delta: ModelDelta): void | Promise<void> {
  if (run.wantsDeltas) emitDelta(run, callId, delta);
  if (!run.shows("messages")) return;
  const { runId } = run.state.config;
  switch (delta.type) {
    case "text":
    case "reasoning":
    case "refusal":
      return run.show?.({ type: delta.type, runId, callId, index: delta.index, text: delta.text });
    case "tool_call_start":
      return run.show?.({ type: delta.type, runId, callId, index: delta.index, id: delta.id, name: delta.name });
    case "tool_call_args":
      return run.show?.({ type: delta.type, runId, callId, index: delta.index, args: delta.args });
    case "restart":
      return run.show?.({ type: delta.type, runId, callId, attempt: delta.attempt, reason: delta.reason });
    case "block":
      return showBlock(run, callId, delta);
    default:
      return;
  }
}

/** A whole block is shown as the fragment that it might have been. */
function showBlock(
  run: LiveRun,
  callId: string,
  { index, block }: ModelDelta & { readonly type: "block" },
): void | Promise<void> {
  const { runId } = run.state.config;
  if (block.type === "text" || block.type === "reasoning" || block.type === "refusal") {
    return run.show?.({ type: block.type, runId, callId, index, text: block.text });
  }
  if (block.type !== "tool_call") return;
  const { id, name, args, invalid } = block;
  const showArgs = (): void | Promise<void> =>
    run.show?.({ type: "tool_call_args", runId, callId, index, args: invalid?.raw ?? JSON.stringify(args) });
  const started = run.show?.({ type: "tool_call_start", runId, callId, index, id, name });
  return started instanceof Promise ? started.then(showArgs) : showArgs();
}

function emitDelta(run: LiveRun, callId: string, delta: ModelDelta): void {
  run.emitUnnumbered("model.delta", {
    callId,
    deltaType: delta.type,
    chars: charsOf(delta),
    ...(run.wantsPayloads ? { payload: { delta } } : {}),
  });
}

function charsOf(delta: ModelDelta): number {
  if (delta.type === "block") return "text" in delta.block ? (delta.block.text?.length ?? 0) : 0;
  if (delta.type === "text" || delta.type === "reasoning" || delta.type === "refusal") return delta.text.length;
  return delta.type === "tool_call_args" ? delta.args.length : 0;
}
