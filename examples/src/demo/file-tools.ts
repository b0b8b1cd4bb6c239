import { type AnyTool, content, throwIfAborted, tool } from "@tinyagents/core";
import { z } from "zod";
import { type Folder, listFiles, readTextFile, type TextFile } from "./folder.js";
import { searchTexts } from "./search.js";

/** The most of a file that the model is given at once, in characters. */
const MAX_CHARS = 40_000;

/** Tools that look at the files of a folder, and change nothing. */
export function fileTools(folder: Folder): readonly AnyTool[] {
  const policy = { effect: "read" } as const;
  return [
    tool({
      name: "list_files",
      description: "Lists the files of the folder and of the folders in it.",
      input: z.object({}),
      policy,
      execute: async (_, { signal }) => {
        const files = await listFiles(folder, signal);
        return content([{ type: "json", value: files }], { summary: counted(files.length, "file") });
      },
    }),
    tool({
      name: "search_files",
      description:
        "Finds the files that contain some of the words, those with most of them first, with their best lines.",
      input: z.object({ query: z.string().min(1).max(400).describe("Words to look for, separated by spaces") }),
      policy,
      execute: async ({ query }, { signal }) => {
        const matches = searchTexts(await readAll(folder, signal), query);
        const value = matches.map(({ path, lines }) => ({ path, lines: lines.map((each) => ({ ...each })) }));
        return content([{ type: "json", value }], { summary: counted(matches.length, "file") });
      },
    }),
    tool({
      name: "read_file",
      description: "Reads a text file.",
      input: z.object({
        path: z.string().min(1).max(1_000).describe("Relative to the folder, as list_files gives it"),
        fromLine: z.number().int().min(1).optional().describe("Where to start, for a long file (default 1)"),
      }),
      policy,
      execute: async ({ path, fromLine = 1 }, { signal }) => {
        const file = await readTextFile(folder, path, signal);
        const lines = linesOf(file.text);
        return content(excerpt(lines, fromLine), { summary: counted(lines.length, "line") });
      },
    }),
  ];
}

/** All texts of the folder; files that cannot be read, or are no texts, are left out. */
async function readAll(folder: Folder, signal: AbortSignal): Promise<readonly TextFile[]> {
  const texts: TextFile[] = [];
  for (const path of await listFiles(folder, signal)) {
    const file = await readTextFile(folder, path, signal).catch(() => undefined);
    throwIfAborted(signal);
    if (file !== undefined) texts.push(file);
  }
  return texts;
}

/** A line break at the end ends the last line and begins no other. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.length > 1 && lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function excerpt(lines: readonly string[], fromLine: number): string {
  if (fromLine > lines.length) throw new Error(`the file has ${counted(lines.length, "line")} only`);
  let chars = 0;
  let end = fromLine - 1;
  while (end < lines.length && chars + (lines[end]?.length ?? 0) < MAX_CHARS) chars += (lines[end++]?.length ?? 0) + 1;
  if (end === lines.length) return lines.slice(fromLine - 1).join("\n");
  if (end === fromLine - 1)
    return `${lines[end]?.slice(0, MAX_CHARS)}\n[cut: line ${fromLine} is longer than ${MAX_CHARS} characters]`;
  return `${lines.slice(fromLine - 1, end).join("\n")}\n[cut: go on with fromLine ${end + 1}]`;
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
