/** Whether a model can do something. What nobody has said is unknown, and unknown is not yes. */
export type Support = "yes" | "no" | "unknown";

/** What a request may need of a model. */
export type Capability =
  | "tools"
  | "parallel_tool_calls"
  | "tool_choice_required"
  | "tool_choice_named"
  | "tool_call_streaming"
  | "structured_output"
  | "json_mode"
  | "reasoning"
  | "streaming"
  | "temperature"
  | "system_messages"
  | "image_input"
  | "audio_input"
  | "file_input";

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

/** Which model answered. Stands in responses, events, usage, cost and state. */
export interface ResolvedModel {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: string;
  /** The name on the wire: of the request, or the exact version that the provider said it used. */
  readonly model: string;
}

/** What a profile says of a capability. */
export function support(profile: ModelProfile, capability: Capability): Support {
  return profile.capabilities[capability] ?? "unknown";
}

/** The asked-for capabilities that the profile does not affirm: unknown counts as missing. */
export function missingCapabilities(profile: ModelProfile, required: readonly Capability[]): readonly Capability[] {
  return required.filter((capability) => support(profile, capability) !== "yes");
}
