import {
  type AnyTool,
  boundedText,
  checkRunPolicy,
  TinyAgentsError,
  type ToolCallBlock,
  type ToolMessage,
  toolMessage,
  type UnknownToolPolicy,
} from "@tinyagents/core";
import type { LiveRun } from "../run/live-run.js";
import { correction } from "./correction.js";

/** @throws TypeError for what is no policy, and for one that names a tool that there is not. */
export function checkUnknownTool(policy: UnknownToolPolicy, tools: ReadonlyMap<string, AnyTool>, place: string): void {
  checkRunPolicy({ unknownTool: policy }, place);
  if (policy.type !== "rewrite" || tools.has(policy.tool)) return;
  throw new TypeError(`${place}.unknownTool.tool: there is no tool "${policy.tool}"`);
}

/** The tool of that name, where the agent has it and the model was offered it. */
export function offeredTool({ definition, state }: LiveRun, name: string): AnyTool | undefined {
  const { offered } = state.lastResponse ?? {};
  return offered === undefined || offered.includes(name) ? definition.tools.get(name) : undefined;
}

/** What the run does about calls for tools that are not offered. */
export function unknownToolPolicy({ definition, state }: LiveRun): UnknownToolPolicy {
  return state.config.unknownTool ?? definition.policies.unknownTool ?? { type: "return_error" };
}

/** A model may write anything for a name. */
const LONGEST_NAME = 100;

/**
 * What becomes of a call for a tool that is not offered: another tool in its place, or what the model is told.
 * @throws `tool_not_found` where the policy is `fail`; `limit_exceeded` when the correction budget is used.
 */
export function recoverUnknown(run: LiveRun, call: ToolCallBlock): AnyTool | ToolMessage {
  const policy = unknownToolPolicy(run);
  run.event()?.("tool.unknown", {
    callId: call.id,
    tool: call.name,
    recovery: policy.type === "rewrite" ? `rewrite: ${policy.tool}` : policy.type,
    ...(run.wantsPayloads ? { payload: { args: call.args } } : {}),
  });
  const available = [...run.definition.tools.keys()].filter((name) => offeredTool(run, name) !== undefined);
  if (policy.type === "fail") {
    throw new TinyAgentsError(
      "tool_not_found",
      `The model called "${call.name}", which is no tool that it was offered.`,
      {
        details: { tool: call.name, available },
        callId: call.id,
      },
    );
  }
  const other = policy.type === "rewrite" ? run.definition.tools.get(policy.tool) : undefined;
  if (other !== undefined) return other;
  correction(run, "unknown_tool");
  const said = policy.type === "return_error" ? policy.message : undefined;
  const list = available.length === 0 ? "There are no tools." : `The tools are: ${available.join(", ")}.`;
  const name = boundedText(call.name, LONGEST_NAME);
  return toolMessage(call, said ?? `There is no tool "${name}". ${list}`, "unknown_tool");
}
