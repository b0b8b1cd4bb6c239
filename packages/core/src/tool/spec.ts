import type { JsonObject } from "../json.js";
import type { ToolDeclaration } from "../model/request.js";
import type { TextToolFormat } from "./format.js";
import type { ToolPolicy } from "./policy.js";
import type { JsonSchema } from "./schema.js";

/** What is known of a tool before it runs, as data. Middleware reads it from each call. */
export interface ToolSpec {
  /** `[a-zA-Z][a-zA-Z0-9_-]{0,63}`; snake_case by custom. */
  readonly name: string;
  readonly description: string;
  /** The arguments as the model sees them: hidden ones are not in it. */
  readonly inputSchema: JsonSchema;
  /** What the tool returns; checked when given. */
  readonly outputSchema?: JsonSchema;
  /** Arguments that the runtime fills in. The model does not know them, and a call that has one is refused. */
  readonly hiddenArgs: readonly string[];
  /** How it may be run. `{}` where that depends on the arguments: each call has its own. */
  readonly policy: ToolPolicy;
  /** Whether the policy depends on the arguments. */
  readonly dynamicPolicy: boolean;
  /** How the model calls it, where that is not the provider's own syntax. */
  readonly format?: TextToolFormat;
  /** The name for people. */
  readonly label?: string;
  /** Whether results are Markdown, for those who show them. */
  readonly markdown?: boolean;
  /** Anything else, by name of whoever reads it. */
  readonly extensions?: { readonly [owner: string]: JsonObject };
}

/** The part of a spec that a model sees. */
export function toolDeclaration({ name, description, inputSchema }: ToolSpec): ToolDeclaration {
  return { name, description, inputSchema };
}
