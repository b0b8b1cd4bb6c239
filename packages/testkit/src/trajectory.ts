import {
  type AgentEvent,
  type AgentRun,
  canonicalJson,
  type JsonObject,
  type RunStatus,
  type ToolStatus,
} from "@tinyagents/core";
import { describeStep, stepsOfEvents, stepsOfRun, type TrajectoryStep } from "./trajectory-steps.js";

/** Arguments that a call must have: equal ones, whatever the order of keys, or ones that the function agrees to. */
export type ExpectedArgs = JsonObject | ((args: JsonObject) => boolean);

/**
 * What a run did, checked in order. Each method looks for its step after the one that was found before, and throws
 * at once, with a comparison of what was expected and what happened, when there is none.
 */
export interface Trajectory {
  readonly steps: readonly TrajectoryStep[];
  /** So many model calls (default 1). */
  modelCalled(times?: number): Trajectory;
  /** The model asked for this tool: whether it ran is not looked at. */
  toolCalled(tool: string, args?: ExpectedArgs): Trajectory;
  toolFailed(tool: string, status?: ToolStatus): Trajectory;
  paused(): Trajectory;
  /** The run has an outcome: this one, or `completed`. */
  completed(status?: RunStatus): Trajectory;
  failed(code?: string): Trajectory;
  /** Nothing comes after the last step that was found. */
  nothingMore(): Trajectory;
}

/** How a trajectory is read. */
export interface TrajectoryOptions {
  /** Each expected step must be the very next one. Default false: others may stand between. */
  readonly strict?: boolean | undefined;
  /** Which run, among events of several. Default: the run of the first event. */
  readonly runId?: string | undefined;
}

interface Expected {
  readonly label: string;
  readonly matches: (step: TrajectoryStep) => boolean;
}

interface Found {
  readonly label: string;
  readonly at: number;
}

/** The trajectory of a run: of its result, or of its events (record arguments with `payloads`). */
export function trajectory(
  source: AgentRun<unknown> | { readonly events: readonly AgentEvent[] } | readonly AgentEvent[],
  { strict = false, runId }: TrajectoryOptions = {},
): Trajectory {
  const steps = stepsOf(source, runId);
  const found: Found[] = [];
  const next = (): number => (found.at(-1)?.at ?? -1) + 1;

  const expectStep = ({ label, matches }: Expected): Trajectory => {
    const from = next();
    const at = steps.findIndex((step, index) => index >= from && (!strict || index === from) && matches(step));
    if (at === -1) throw new Error(comparison(steps, found, label, strict));
    found.push({ label, at });
    return self;
  };
  const self: Trajectory = {
    steps,
    modelCalled(times = 1) {
      for (let call = 0; call < times; call++) {
        expectStep({ label: "model called", matches: ({ type }) => type === "model_called" });
      }
      return self;
    },
    toolCalled: (tool, args) =>
      expectStep({
        label: `tool called: ${tool}${describeArgs(args)}`,
        matches: (step) => step.type === "tool_called" && step.tool === tool && argsMatch(step.args, args),
      }),
    toolFailed: (tool, status) =>
      expectStep({
        label: `tool failed: ${tool}${status === undefined ? "" : ` (${status})`}`,
        matches: (step) =>
          step.type === "tool_failed" && step.tool === tool && (status === undefined || step.status === status),
      }),
    paused: () => expectStep({ label: "paused", matches: ({ type }) => type === "paused" }),
    completed: (status = "completed") =>
      expectStep({
        label: `completed (${status})`,
        matches: (step) => step.type === "completed" && step.status === status,
      }),
    failed: (code) =>
      expectStep({
        label: `failed${code === undefined ? "" : ` (${code})`}`,
        matches: (step) => step.type === "failed" && (code === undefined || step.code === code),
      }),
    nothingMore() {
      if (next() < steps.length) throw new Error(comparison(steps, found, "nothing more", true));
      return self;
    },
  };
  return self;
}

function stepsOf(source: Parameters<typeof trajectory>[0], runId: string | undefined): readonly TrajectoryStep[] {
  if ("newMessages" in source) return stepsOfRun(source);
  return stepsOfEvents("events" in source ? source.events : source, runId);
}

function describeArgs(args: ExpectedArgs | undefined): string {
  if (args === undefined) return "";
  return typeof args === "function" ? " (arguments by a function)" : ` ${JSON.stringify(args)}`;
}

function argsMatch(found: JsonObject | undefined, expected: ExpectedArgs | undefined): boolean {
  if (expected === undefined) return true;
  if (found === undefined) return false;
  return typeof expected === "function" ? expected(found) : canonicalJson(found) === canonicalJson(expected);
}

/** Expected steps beside those that happened. `>` points at the first expected step that is not there. */
function comparison(
  steps: readonly TrajectoryStep[],
  found: readonly Found[],
  missing: string,
  strict: boolean,
): string {
  const from = (found.at(-1)?.at ?? -1) + 1;
  const rows = steps.slice(0, from).map((step, at) => {
    const label = found.find((one) => one.at === at)?.label;
    return { mark: label === undefined ? "." : "=", expected: label ?? "", actual: describeStep(step) };
  });
  const rest = steps.slice(from).map(describeStep);
  rows.push({ mark: ">", expected: missing, actual: rest[0] ?? "(the end)" });
  rows.push(...rest.slice(1).map((actual) => ({ mark: " ", expected: "", actual })));
  const width = Math.max("expected".length, ...rows.map(({ expected }) => expected.length));
  const lines = rows.map(({ mark, expected, actual }) => `${mark} ${expected.padEnd(width)} | ${actual}`);
  const where = strict ? "next" : "after that";
  const unknown = steps.some((step) => step.type === "tool_called" && step.args === undefined)
    ? "\nSome calls have no arguments: they were refused, or the events were recorded without payloads."
    : "";
  return (
    [
      `The run did not go as expected: "${missing}" does not come ${where}.`,
      `  ${"expected".padEnd(width)} | actual`,
      ...lines,
    ].join("\n") + unknown
  );
}
