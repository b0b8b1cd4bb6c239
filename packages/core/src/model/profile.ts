import type { ErrorCode } from "../errors.js";
import type { Message } from "../message/message.js";
import type { ModelRequest } from "./request.js";

/** Whether a model can do something. What nobody has said is unknown, and unknown is not yes. */
export type Support = "yes" | "no" | "unknown";

/** Every {@link Capability}. */
export const CAPABILITIES = [
  "tools",
  "parallel_tool_calls",
  "tool_choice_required",
  "tool_choice_named",
  "tool_call_streaming",
  "structured_output",
  "json_mode",
  "reasoning",
  "streaming",
  "temperature",
  "system_messages",
  "image_input",
  "audio_input",
  "file_input",
] as const;

/** What a request may need of a model. */
export type Capability = (typeof CAPABILITIES)[number];

/** What is known of a model before it is asked anything. */
export interface ModelProfile {
  /** Who serves it: `openai`, `anthropic`, `mock`. */
  readonly provider: string;
  /** Its name on the wire. */
  readonly model: string;
  /** The line it belongs to, where several names are one: `gpt-5`. */
  readonly family?: string;
  /** Absent means unknown. */
  readonly capabilities: { readonly [C in Capability]?: Support };
  /** Input and output together, in tokens. */
  readonly contextWindow?: number;
  /** The longest answer, in tokens. */
  readonly maxOutputTokens?: number;
  readonly lifecycle: "preview" | "active" | "deprecated" | "retired" | "unknown";
  readonly source: "local" | "cloud" | "unknown";
  /** ISO date. */
  readonly releasedOn?: string;
}

/** Every {@link ModelRung}. */
export const MODEL_RUNGS = ["override", "reuse", "hint", "agent", "registry", "fallback"] as const;

/**
 * What chose a model: the request named it; it had answered before; the request preferred it; it is the agent's own, or
 * the registry's default; the one before it failed, or could not do what was needed.
 */
export type ModelRung = (typeof MODEL_RUNGS)[number];

/** A model that was asked before another answered. */
export interface FailedModel {
  /** `provider/model`. */
  readonly id: string;
  /** Its name in the registry, where it came from one. */
  readonly name?: string;
  /** What it failed with; its last failure, where it was asked more than once. */
  readonly code: ErrorCode;
}

/** Which model answered. Stands in responses, events, usage, cost and state. */
export interface ResolvedModel {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** The name on the wire: of the request, or the exact version that the provider said it used. */
  readonly model: string;
  /** Its name in the registry, where it came from one. */
  readonly name?: string;
  /** Absent where nothing was to choose from. */
  readonly chosenBy?: ModelRung;
  /** Those that the call had asked before, in order, where they failed. */
  readonly failed?: readonly FailedModel[];
}

/** What a profile says of a capability. */
export function support(profile: ModelProfile, capability: Capability): Support {
  return profile.capabilities[capability] ?? "unknown";
}

/**
 * What a request needs and the model lacks. What it asks for in `requires` needs a "yes"; what it only implies (tools,
 * a demanded tool, a format of the answer) is lacking when the profile says "no". `implied`: what its messages imply,
 * for whoever knows it; they are not looked through here, since a history is long and a call is made often.
 */
export function lackingCapabilities(
  profile: ModelProfile,
  { requires, tools, toolChoice, responseFormat }: Omit<ModelRequest, "messages">,
  implied: Iterable<Capability> = NOTHING,
): readonly Capability[] {
  const lacking = requires?.filter((capability) => support(profile, capability) !== "yes") ?? [];
  for (const need of implied) deny(lacking, profile, need);
  if (tools !== undefined && tools.length > 0) deny(lacking, profile, "tools");
  if (responseFormat?.type === "json_schema") deny(lacking, profile, "structured_output");
  if (responseFormat?.type === "json") deny(lacking, profile, "json_mode");
  if (toolChoice === "required") deny(lacking, profile, "tool_choice_required");
  // Where the one tool that is offered is named, to demand some tool says the same.
  const named = typeof toolChoice === "object" && (tools?.length !== 1 || denies(profile, "tool_choice_required"));
  if (named) deny(lacking, profile, "tool_choice_named");
  return lacking;
}

/** The media in messages that the profile says "no" to. Looks through them only where it says so of any. */
export function lackingMedia(profile: ModelProfile, messages: readonly Message[]): readonly Capability[] {
  return MEDIA.filter((type) => denies(profile, `${type}_input`))
    .filter((type) => messages.some(({ content }) => content.some((block) => block.type === type)))
    .map((type): Capability => `${type}_input`);
}

const NOTHING: readonly Capability[] = [];
const MEDIA = ["image", "audio", "file"] as const;

function denies(profile: ModelProfile, capability: Capability): boolean {
  return support(profile, capability) === "no";
}

function deny(lacking: Capability[], profile: ModelProfile, need: Capability): void {
  if (denies(profile, need) && !lacking.includes(need)) lacking.push(need);
}
