import { TinyAgentsError } from "../errors.js";
import { type Capability, lackingCapabilities, lackingMedia, type ModelProfile } from "./profile.js";
import type { ModelRequest } from "./request.js";

/** The error of a model, by its id, that lacks what is needed of it. */
export function capabilityMissing(
  model: string,
  capabilities: readonly Capability[],
): TinyAgentsError<"capability_missing"> {
  return new TinyAgentsError(
    "capability_missing",
    `The model ${model} cannot do what is needed (${capabilities.join(", ")}). Choose another model, or do without.`,
    { details: { model, capabilities } },
  );
}

/**
 * For adapters: refuses a request before it is sent. `implied`: what its messages need, for whoever has looked through
 * them. Default: the media that users show.
 *
 * @throws `capability_missing` for what the request requires and the profile does not affirm, or uses and it denies.
 */
export function refuseMissing(
  profile: ModelProfile,
  request: ModelRequest,
  implied: Iterable<Capability> = shownMedia(profile, request),
): void {
  const capabilities = lackingCapabilities(profile, request, implied);
  if (capabilities.length > 0) throw capabilityMissing(`${profile.provider}/${profile.model}`, capabilities);
}

function shownMedia(profile: ModelProfile, { messages }: ModelRequest): readonly Capability[] {
  return lackingMedia(
    profile,
    messages.filter(({ role }) => role === "user"),
  );
}
