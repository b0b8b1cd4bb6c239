import type { TextToolFormat, ToolSpec } from "@tinyagents/core";

/** A tool that is called in the text of an answer. */
export interface TextTool extends ToolSpec {
  readonly format: TextToolFormat;
}

/** Text tools by name. */
export type TextTools = ReadonlyMap<string, TextTool>;

/**
 * Those of an agent's tools that are called in text; nothing where there are none.
 * @throws TypeError when the marks of two could not be told apart.
 */
export function textToolsOf(specs: readonly ToolSpec[]): TextTools | undefined {
  const tools = specs.filter(isTextTool);
  for (const one of tools) {
    const { open, close } = one.format;
    if (typeof open !== "string" || typeof close !== "string") {
      throw new TypeError(`createAgent: tools: the format of "${one.name}" has no marks; use tool()`);
    }
  }
  for (const one of tools) {
    const other = tools.find((tool) => tool !== one && tool.format.open.startsWith(one.format.open));
    if (other === undefined) continue;
    throw new TypeError(
      `createAgent: tools: calls of "${one.name}" and "${other.name}" cannot be told apart: "${other.format.open}" begins with "${one.format.open}"`,
    );
  }
  return tools.length === 0 ? undefined : new Map(tools.map((tool) => [tool.name, tool]));
}

function isTextTool(spec: ToolSpec): spec is TextTool {
  return spec.format?.type === "text";
}

/** The JSON text of the arguments that stand between the marks of a call; not JSON when they are not. */
export function argsText({ format }: TextTool, body: string): string {
  if (format.argument === undefined) return body;
  return JSON.stringify({ [format.argument]: body.replace(/^\r?\n/, "").replace(/\r?\n$/, "") });
}
