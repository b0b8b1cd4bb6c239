import type { AgentRun, AgentStreamItem, JsonObject, ToolMessage } from "@tinyagents/core";
import { toolText } from "@tinyagents/core";
import { footer } from "./footer.js";
import { printable, printableLine } from "./printable.js";

/** Shows a run as it goes. */
export interface Renderer {
  show(item: AgentStreamItem): void;
  /** The cursor is at the start of a line after this. */
  endLine(): void;
}

export interface RendererOptions {
  readonly write: (text: string) => void;
  readonly color: boolean;
}

const MAX_DETAIL_CHARS = 100;

/** Text as it comes, one line for each tool call and each result, and a footer. */
export function renderer({ write, color }: RendererOptions): Renderer {
  const dim = (text: string): string => (color ? `\u001b[2m${text}\u001b[0m` : text);
  const calls = new Map<string, string>();
  let midLine = false;
  const text = (piece: string): void => {
    if (piece === "") return;
    write(piece);
    midLine = !piece.endsWith("\n");
  };
  const endLine = (): void => {
    if (midLine) text("\n");
  };
  const line = (said: string): void => {
    endLine();
    text(`${dim(said)}\n`);
  };
  return {
    endLine,
    show(item) {
      switch (item.type) {
        case "text":
        case "refusal":
          return text(printable(item.text));
        case "restart":
          return line("(the answer starts again)");
        case "tool_started": {
          const call = printableLine(`${item.tool}${detail(item.args)}`);
          calls.set(item.callId, call);
          return line(`> ${call}`);
        }
        case "tool_result":
          return line(`${resultOf(item.result)}  ${calls.get(item.callId) ?? printableLine(item.tool)}`);
        case "final":
          return end(item.run);
      }
    },
  };

  function end(run: AgentRun<unknown>): void {
    endLine();
    if (run.status !== "completed")
      line(printableLine(`(${run.status}${run.finishReason === undefined ? "" : `: ${run.finishReason}`})`));
    text(`\n${dim(footer(run))}\n`);
  }
}

function detail(args: JsonObject): string {
  const said = Object.values(args).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return said.length === 0 ? "" : ` ${shortened(said.join(" "))}`;
}

function resultOf(result: ToolMessage): string {
  if (result.isError) return `! ${printableLine(shortened(toolText(result)))}`;
  return `< ${printableLine(shortened(result.summary ?? "done"))}`;
}

function shortened(text: string): string {
  const oneLine = text.replace(/\s+/g, " ").trim();
  return oneLine.length <= MAX_DETAIL_CHARS ? oneLine : `${oneLine.slice(0, MAX_DETAIL_CHARS - 1)}…`;
}
