import type { JsonObject } from "../json.js";
import type { Block, ProviderMetadata } from "../message/block.js";
import type { ResolvedModel } from "./profile.js";
import type { Usage } from "./usage.js";

/** Every {@link FinishReason}. */
export const FINISH_REASONS = [
  "stop",
  "tool_calls",
  "length",
  "content_filter",
  "refusal",
  "pause",
  "error",
  "other",
] as const;

/**
 * Why a model stopped. Tool calls run after `stop` and `tool_calls` only. `pause`: the provider wants the turn sent
 * back as it is. `other`: a reason of the provider's own, kept as `rawFinishReason`.
 */
export type FinishReason = (typeof FINISH_REASONS)[number];

/** Something that a provider could not honour, or that it said. Goes with the response. */
export interface ModelWarning {
  readonly code: "unsupported_setting" | "changed_setting" | "provider" | "malformed_data";
  readonly message: string;
  /** The setting, as the request names it. */
  readonly setting?: string;
}

/**
 * A fragment of a response. Fragments name their block by `index`: any number, the same for all fragments of a block;
 * blocks stand in the response in the order in which they first appear. Several blocks may grow at once.
 */
export type ModelDelta =
  | { readonly type: "start"; readonly model?: string; readonly responseId?: string }
  | { readonly type: "text"; readonly index: number; readonly text: string }
  | { readonly type: "reasoning"; readonly index: number; readonly text: string }
  | { readonly type: "refusal"; readonly index: number; readonly text: string }
  | { readonly type: "tool_call_start"; readonly index: number; readonly id: string; readonly name: string }
  /** A piece of the arguments' JSON text. */
  | { readonly type: "tool_call_args"; readonly index: number; readonly args: string }
  | { readonly type: "tool_call_end"; readonly index: number }
  /** A whole block. */
  | { readonly type: "block"; readonly index: number; readonly block: Block }
  /** What the provider attaches to a block (with `index`) or to the message: keys of later ones win. */
  | { readonly type: "provider"; readonly index?: number; readonly providerMetadata: ProviderMetadata }
  /** Cumulative for this attempt: a later one replaces an earlier one. */
  | { readonly type: "usage"; readonly usage: Usage }
  /** A new attempt begins, at another model where one is named. Consumers drop what this call had shown. */
  | { readonly type: "restart"; readonly attempt: number; readonly reason: string; readonly model?: ResolvedModel }
  | FinishDelta;

/** The end. A stream that ends without it was cut short. */
export interface FinishDelta {
  readonly type: "finish";
  readonly finishReason: FinishReason;
  readonly rawFinishReason?: string;
  /** The exact model that answered, where the provider says. */
  readonly model?: string;
  readonly responseId?: string;
  /** For an adapter that learns it at the end: the same as a `usage` delta before. */
  readonly usage?: Usage;
  readonly warnings?: readonly ModelWarning[];
  /** Whatever else the provider said of the whole response. */
  readonly providerData?: JsonObject;
}
