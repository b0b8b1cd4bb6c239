import { isJsonObject, type ToolDeclaration } from "@tinyagents/core";

/** A call that the model made and the server could not read. */
export interface RefusedCall {
  readonly name: string;
  /** What the model wrote for arguments. */
  readonly raw: string;
  /** What the server says is wrong with it. */
  readonly reason: string;
}

/**
 * The call in a failure that says that a call could not be read: no failure of the request, but a mistake of the model,
 * which can be told of it. The server leaves out which tool was meant. Nothing where it cannot be seen: then the
 * failure stands, and a repeat may go better.
 *
 * @see https://github.com/ollama/ollama/issues/17638
 */
export function refusedCall(message: string, tools: readonly ToolDeclaration[]): RefusedCall | undefined {
  const [, raw, reason = ""] = /error parsing tool call: raw='(.*)', err=(.*)$/s.exec(message) ?? [];
  if (raw === undefined) return undefined;
  const name = meantTool(raw, tools);
  return name === undefined ? undefined : { name, raw, reason };
}

/** The tool that is named, else the one whose arguments these are, else the only one. */
function meantTool(raw: string, tools: readonly ToolDeclaration[]): string | undefined {
  const written = /"name"\s*:\s*"([^"]+)"/.exec(raw)?.[1];
  if (tools.some(({ name }) => name === written)) return written;
  const fits = tools.map((tool) => ({ name: tool.name, known: argumentsIn(raw, tool) }));
  const most = Math.max(0, ...fits.map(({ known }) => known));
  const best = fits.filter(({ known }) => known === most);
  return best.length === 1 ? best[0]?.name : undefined;
}

/** How many of a tool's arguments a text names. */
function argumentsIn(raw: string, { inputSchema }: ToolDeclaration): number {
  const { properties } = inputSchema;
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  return names.filter((name) => raw.includes(`"${name}"`)).length;
}
