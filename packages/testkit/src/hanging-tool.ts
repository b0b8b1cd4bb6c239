import { abortError, type JsonSchema, onAbort, type SchemaOutput, type StandardSchema } from "@tinyagents/core";
import { type FakeTool, type FakeToolBase, recordedTool } from "./fake-tool.js";

/** How a hanging tool hangs. */
export interface HangingToolOptions<S extends StandardSchema | JsonSchema = JsonSchema> extends FakeToolBase<S> {
  /** Go on hanging when the signal aborts, as a tool does that was badly written. Default false. */
  readonly ignoreSignal?: boolean | undefined;
}

/** A tool that never answers by itself. */
export interface HangingTool<Input> extends FakeTool<Input> {
  /** How many executions have seen their signal abort. */
  readonly aborted: number;
}

/**
 * A tool whose executions never settle, until their signal aborts: then they fail as cancelled. With `ignoreSignal`
 * they go on, and only note it.
 */
export function hangingTool<S extends StandardSchema | JsonSchema = JsonSchema>(
  options: HangingToolOptions<S>,
): HangingTool<SchemaOutput<S>> {
  const { ignoreSignal = false } = options;
  let aborted = 0;
  const recorded = recordedTool(
    options,
    (_input, { signal }) =>
      new Promise((_resolve, reject) => {
        onAbort(signal, () => {
          aborted++;
          if (!ignoreSignal) reject(abortError(signal.reason));
        });
      }),
  );
  return {
    ...recorded,
    get aborted() {
      return aborted;
    },
  };
}
