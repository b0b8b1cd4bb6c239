import { type AnyTool, content, throwIfAborted, tool } from "@tinyagents/core";
import { z } from "zod";
import { type Folder, listFiles, readTextFile } from "./folder.js";
import { type Match, searchFor } from "./search.js";

/** The most of a file that the model is given at once, in characters. */
const MAX_CHARS = 40_000;
/** The most that one search looks at, in characters: a folder that is larger is searched in part, and the model is told. */
const MAX_SEARCHED_CHARS = 64 * 1024 * 1024;

/** Tools that look at the files of a folder, and change nothing. One search looks at no more than `maxSearchedChars`. */
export function fileTools(folder: Folder, maxSearchedChars: number = MAX_SEARCHED_CHARS): readonly AnyTool[] {
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
        const { matches, left } = await search(folder, query, maxSearchedChars, signal);
        const value = matches.map(({ path, lines }) => ({ path, lines: lines.map((each) => ({ ...each })) }));
        const blocks = left === 0 ? [] : [{ type: "text", text: notSearched(left) } as const];
        return content([{ type: "json", value }, ...blocks], { summary: counted(matches.length, "file") });
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

/** The best files, and how many were not looked at. Files that cannot be read, or are no texts, are passed over. */
async function search(
  folder: Folder,
  query: string,
  maxChars: number,
  signal: AbortSignal,
): Promise<{ readonly matches: readonly Match[]; readonly left: number }> {
  const found = searchFor(query);
  const paths = await listFiles(folder, signal);
  let chars = 0;
  for (const [place, path] of paths.entries()) {
    if (chars >= maxChars) return { matches: found.matches(), left: paths.length - place };
    const file = await readTextFile(folder, path, signal).catch(() => undefined);
    throwIfAborted(signal);
    if (file === undefined) continue;
    chars += file.text.length;
    found.add(file);
  }
  return { matches: found.matches(), left: 0 };
}

function notSearched(left: number): string {
  return `[The folder is large: ${counted(left, "file")} ${left === 1 ? "was" : "were"} not searched. Ask about a folder in it.]`;
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
