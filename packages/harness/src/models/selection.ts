import type { ModelSelection, RunConfig, StartOptions } from "@tinyagents/core";
import type { AgentDefinition } from "../definition.js";

/**
 * Which model a run wants, where its options say anything of it.
 * @throws TypeError for what is no name.
 */
export function selectionOf(
  { request }: AgentDefinition,
  { model, hints, requires, reuseModel }: StartOptions,
): Pick<RunConfig, "selection"> {
  if (model !== undefined && (typeof model !== "string" || model === "")) throw wrong("model", "the name of a model");
  if (hints !== undefined && !(Array.isArray(hints) && hints.every((hint) => typeof hint === "string"))) {
    throw wrong("hints", "a list of names of models");
  }
  const selection: ModelSelection = {
    ...(model === undefined ? {} : { model }),
    ...(hints === undefined ? {} : { hints }),
    ...(requires === undefined ? {} : { requires: [...new Set([...(request.requires ?? []), ...requires])] }),
    ...(reuseModel === undefined ? {} : { reuseModel }),
  };
  return Object.keys(selection).length === 0 ? {} : { selection };
}

function wrong(option: string, expected: string): TypeError {
  return new TypeError(`options: ${option}: ${expected} is expected`);
}
