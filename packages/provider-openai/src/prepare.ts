import {
  type Capability,
  type JsonObject,
  lackingCapabilities,
  type ModelProfile,
  type ModelRequest,
  type ModelWarning,
  TinyAgentsError,
} from "@tinyagents/core";
import { strictViolation } from "./strict-schema.js";

/** What goes on the wire, and what could not be said there. */
export interface PreparedRequest {
  readonly body: JsonObject;
  readonly warnings: readonly ModelWarning[];
}

/**
 * `implied`: what the messages need.
 * @throws `capability_missing` for what the profile does not affirm and the request requires, or denies and it uses.
 */
export function refuseMissing(profile: ModelProfile, request: ModelRequest, implied: Iterable<Capability>): void {
  const capabilities = lackingCapabilities(profile, request, implied);
  if (capabilities.length === 0) return;
  const model = `${profile.provider}/${profile.model}`;
  throw new TinyAgentsError(
    "capability_missing",
    `${model} lacks what the request needs: ${capabilities.join(", ")}.`,
    { details: { model, capabilities } },
  );
}

export function nothingToSend(): TinyAgentsError<"invalid_request"> {
  return new TinyAgentsError("invalid_request", "The request has no message with content.", {
    details: { reason: "no_messages" },
  });
}

/** A setting that was left out. */
export function unsupported({ model }: Pick<ModelProfile, "model">, setting: string): ModelWarning {
  return { code: "unsupported_setting", setting, message: `${model} does not take ${setting}; it was not sent.` };
}

/** Whether strict mode takes a schema; where it does not, `warnings` says why. */
export function mayBeStrict(schema: JsonObject, warnings: ModelWarning[]): boolean {
  const violation = strictViolation(schema);
  if (violation === undefined) return true;
  const message = `The schema is sent without strict mode, which does not take it: ${violation}.`;
  warnings.push({ code: "changed_setting", setting: "responseFormat.strict", message });
  return false;
}
