import type { JsonObject, ModelDelta, ModelWarning } from "@tinyagents/core";
import { OpenCall } from "./call-block.js";
import { OpenProviderBlock } from "./provider-block.js";
import { OpenText } from "./text-block.js";
import { OpenRedacted, OpenThinking } from "./thinking-block.js";

/** What blocks of one answer share. */
export interface BlockContext {
  readonly provider: string;
  readonly warnings: ModelWarning[];
  /** The index of a new block. */
  nextIndex(): number;
  /** An id for a call that came without one. */
  newCallId(): string;
}

/** A content block that is being streamed, or that came whole. */
export interface OpenBlock {
  /** The type on the wire. */
  readonly type: string;
  /** Reads one more fragment. Says whether it belongs to a block of this kind. */
  read(delta: JsonObject, out: ModelDelta[]): boolean;
  close(out: ModelDelta[]): void;
}

/** Begins a block with what its first frame says of it. */
export function openBlock(start: JsonObject, context: BlockContext, out: ModelDelta[]): OpenBlock {
  switch (start.type) {
    case "text":
      return new OpenText(start, context, out);
    case "thinking":
      return new OpenThinking(start, context, out);
    case "redacted_thinking":
      return new OpenRedacted(start, context);
    case "tool_use":
      return new OpenCall(start, context, out);
    default:
      return new OpenProviderBlock(start, context);
  }
}
