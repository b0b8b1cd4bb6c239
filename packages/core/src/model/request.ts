import type { JsonObject } from "../json.js";
import type { Message } from "../message/message.js";
import type { Capability } from "./profile.js";

/** What a model sees of a tool. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly inputSchema: JsonObject;
}

/** `required`: some tool, whichever. A named one needs the capability `tool_choice_named`. */
export type ToolChoice = "auto" | "none" | "required" | { readonly type: "tool"; readonly name: string };

/** What shape the answer's text must have. */
export type ResponseFormat =
  | { readonly type: "text" }
  /** Any JSON object. */
  | { readonly type: "json" }
  | {
      readonly type: "json_schema";
      /** `[a-zA-Z0-9_-]{1,64}` */
      readonly name: string;
      readonly schema: JsonObject;
      /** Let the provider enforce it to the letter, where it can. */
      readonly strict?: boolean;
    };

/** What a model is sent. Plain data; nobody changes it in place. */
export interface ModelRequest {
  /** Which model is to answer, by its name, alias or route in the registry: this one and no other. For whoever makes the call. */
  readonly model?: string;
  /** Models that would be good, by name, best first. For whoever makes the call. */
  readonly hints?: readonly string[];
  /** Take the model that answered the thread before, if it can. For whoever makes the call. */
  readonly reuseModel?: boolean;
  /** A live view of the history, valid for this call only: whoever keeps it copies it. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDeclaration[];
  readonly toolChoice?: ToolChoice;
  readonly responseFormat?: ResponseFormat;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: readonly string[];
  readonly seed?: number;
  /** How hard to think, where the model can be told. */
  readonly reasoningEffort?: "minimal" | "low" | "medium" | "high";
  /** Capabilities without which the call must not be made. Only a "yes" in the profile will do. */
  readonly requires?: readonly Capability[];
  /**
   * The longest that one attempt may take, ms. Whoever makes the call keeps the time and aborts `call.signal`; a model
   * obeys the signal alone.
   */
  readonly timeoutMs?: number;
  /**
   * The `responseId` of an earlier answer that a provider keeps: it goes on from there, where it can. `messages` are the
   * whole history all the same; an adapter sends those after the message that has this id, all where none has it.
   */
  readonly previousResponseId?: string;
  /** Settings of the provider's own, by provider name. Normalized fields win. */
  readonly providerOptions?: { readonly [provider: string]: JsonObject };
}

/** Which model is wanted, by name and by what it must be able to do. */
export type ModelSelection = Pick<ModelRequest, "model" | "hints" | "requires" | "reuseModel">;
