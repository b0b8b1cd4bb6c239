import type { JsonObject, JsonValue } from "../json.js";

/**
 * What a provider attached to a block or message (signatures, encrypted reasoning, item ids), by provider name. The
 * same provider gets its own entry back untouched on the next turn; nobody else reads it.
 */
export interface ProviderMetadata {
  readonly [provider: string]: JsonObject;
}

interface BlockBase {
  readonly providerMetadata?: ProviderMetadata;
}

/** Visible text. */
export interface TextBlock extends BlockBase {
  readonly type: "text";
  readonly text: string;
}

/** A value, where a consumer can use it better than its text: what a tool returned, for one. */
export interface JsonBlock extends BlockBase {
  readonly type: "json";
  readonly value: JsonValue;
}

/** Where the bytes of a medium are. Nothing here ever fetches a `url`: the provider may. */
export type MediaSource =
  | { readonly type: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly type: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly type: "provider_file"; readonly provider: string; readonly fileId: string; readonly mediaType?: string };

/** How closely an image may be looked at. */
export const IMAGE_DETAILS = ["low", "high", "auto"] as const;

/** A picture. */
export interface ImageBlock extends BlockBase {
  readonly type: "image";
  readonly source: MediaSource;
  /** How closely to look, where the provider knows the setting. */
  readonly detail?: (typeof IMAGE_DETAILS)[number];
}

/** A recording. */
export interface AudioBlock extends BlockBase {
  readonly type: "audio";
  readonly source: MediaSource;
}

/** A document of any other kind, as PDF. */
export interface FileBlock extends BlockBase {
  readonly type: "file";
  readonly source: MediaSource;
  readonly name?: string;
}

/** What the model asks for. */
export interface ToolCallBlock extends BlockBase {
  readonly type: "tool_call";
  /** Unique in its history. A server that uses an id again has it renamed, see `originalId`. */
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; `{}` when they could not be parsed, and then `invalid` is there and nothing runs. */
  readonly args: JsonObject;
  readonly invalid?: InvalidArguments;
  /** The id that the server gave, where it had been used before. */
  readonly originalId?: string;
}

/** Arguments that are no JSON object: kept whole, for a repair and for diagnosis. */
export interface InvalidArguments {
  readonly reason: string;
  /** The text as the model wrote it. */
  readonly raw: string;
}

/** The result of a tool that the provider itself ran. Results of our tools are messages of their own. */
export interface ToolResultBlock extends BlockBase {
  readonly type: "tool_result";
  readonly callId: string;
  readonly name?: string;
  readonly content: readonly Block[];
  readonly isError: boolean;
}

/** What the model thought. Signatures and encrypted forms are in `providerMetadata`. */
export interface ReasoningBlock extends BlockBase {
  readonly type: "reasoning";
  readonly text: string;
  /** The provider withheld the text. */
  readonly redacted?: true;
}

/** Where something in the answer comes from. */
export interface CitationBlock extends BlockBase {
  readonly type: "citation";
  /** What is cited, as the provider names it. */
  readonly source: JsonObject;
  /** The words that are cited. */
  readonly text?: string;
}

/** The model declined. */
export interface RefusalBlock extends BlockBase {
  readonly type: "refusal";
  readonly text: string;
  /** What the provider said of the reason: categories, scores. */
  readonly safety?: JsonObject;
}

/** A block that only its provider understands, kept whole. */
export interface ProviderBlock extends BlockBase {
  readonly type: "provider";
  readonly provider: string;
  readonly value: JsonValue;
}

/** A piece of a message's content. The order of blocks is the order in which the provider gave them. */
export type Block =
  | TextBlock
  | JsonBlock
  | ImageBlock
  | AudioBlock
  | FileBlock
  | ToolCallBlock
  | ToolResultBlock
  | ReasoningBlock
  | CitationBlock
  | RefusalBlock
  | ProviderBlock;
