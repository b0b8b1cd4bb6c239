import type { ContentOutcome } from "@tinyagents/core";
import { testRuntime } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../../test/temp-folder.js";
import { fileTools } from "./file-tools.js";
import { openFolder } from "./folder.js";

async function call(
  files: { readonly [path: string]: string | Uint8Array },
  name: string,
  args: object,
): Promise<ContentOutcome> {
  const tools = fileTools(await openFolder(tempFolder(files)));
  const found = tools.find(({ spec }) => spec.name === name);
  if (found === undefined) throw new Error(`there is no tool ${name}`);
  return (await found.execute(args as never, testRuntime(found))) as ContentOutcome;
}

describe("the file tools", () => {
  it("say that they only read", async () => {
    const tools = fileTools(await openFolder(tempFolder()));
    expect(tools.map(({ spec }) => [spec.name, spec.policy.effect])).toEqual([
      ["list_files", "read"],
      ["search_files", "read"],
      ["read_file", "read"],
    ]);
  });

  it("search a folder file by file up to a bound, and say how many files were left", async () => {
    const folder = await openFolder(tempFolder({ "a.md": "an oar", "b.md": "an oar", "c.md": "oar", "d.md": "oar" }));
    const searched = async (maxChars: number): Promise<readonly unknown[]> => {
      const search = fileTools(folder, maxChars).find(({ spec }) => spec.name === "search_files");
      if (search === undefined) throw new Error("there is no search_files");
      const { content } = (await search.execute({ query: "oar" } as never, testRuntime(search))) as ContentOutcome;
      return content.map((block) =>
        block.type === "json" ? (block.value as readonly { readonly path: string }[]).map(({ path }) => path) : block,
      );
    };
    expect(await searched(8)).toEqual([
      ["a.md", "b.md"],
      { type: "text", text: "[The folder is large: 2 files were not searched. Ask about a folder in it.]" },
    ]);
    expect(await searched(1_000)).toEqual([["a.md", "b.md", "c.md", "d.md"]]);
  });

  it("find the best files, whatever comes before and after them", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `${String(at).padStart(2, "0")}.md`,
        at === 17 ? "a broken oar" : "an oar",
      ]),
    );
    const { content } = await call(files, "search_files", { query: "broken oar" });
    const found = content[0]?.type === "json" ? (content[0].value as readonly { readonly path: string }[]) : [];
    expect(found.map(({ path }) => path)).toEqual([
      "17.md",
      ...["00", "01", "02", "03", "04", "05", "06"].map((at) => `${at}.md`),
    ]);
  });

  it("search no further once they are cancelled between two files", async () => {
    const { root } = await openFolder(tempFolder({ "a.md": "oar", "b.md": "oar" }));
    const controller = new AbortController();
    let looked = 0;
    const folder = {
      root,
      get only(): undefined {
        looked += 1; // one look at each file to list it, then one or two to read it
        if (looked === 3) controller.abort();
        return undefined;
      },
    };
    const search = fileTools(folder).find(({ spec }) => spec.name === "search_files");
    if (search === undefined) throw new Error("there is no search_files");
    const searching = search.execute({ query: "oar" } as never, testRuntime(search, { signal: controller.signal }));
    await expect(searching).rejects.toMatchObject({ code: "cancelled" });
    expect(looked).toBeLessThanOrEqual(4);
  });

  it("list files", async () => {
    expect(await call({ "a.md": "", "b/c.md": "" }, "list_files", {})).toMatchObject({
      content: [{ type: "json", value: ["a.md", "b/c.md"] }],
      summary: "2 files",
    });
  });

  it("find the files with most of the words first, whatever their case, and skip what is no text", async () => {
    const files = { "a.md": "An oar.\nRain.", "b.md": "x\nA broken OAR.", "c.bin": new Uint8Array([0, 111, 97, 114]) };
    expect(await call(files, "search_files", { query: "broken oar" })).toMatchObject({
      content: [
        {
          value: [
            { path: "b.md", lines: [{ line: 2, text: "A broken OAR." }] },
            { path: "a.md", lines: [{ line: 1, text: "An oar." }] },
          ],
        },
      ],
    });
    expect(await call(files, "search_files", { query: "zebra ?!" })).toMatchObject({
      content: [{ value: [] }],
      summary: "0 files",
    });
  });

  it("count the lines as an editor does: a line break at the end begins no other line", async () => {
    for (const [text, summary] of [
      ["one\ntwo\n", "2 lines"],
      ["one\n", "1 line"],
      ["one\n\n", "2 lines"],
    ] as const) {
      expect(await call({ "a.md": text }, "read_file", { path: "a.md" })).toMatchObject({ summary });
    }
    await expect(call({ "a.md": "one\n" }, "read_file", { path: "a.md", fromLine: 2 })).rejects.toThrow("1 line only");
  });

  it("find a file by its name and title, other forms of a word, and tables last", async () => {
    const files = {
      "coverage.md": "| closing | oars.test |\n| closed oars | x |",
      "a.md": "The oar closes.",
      "oars.md": "An oar. It is closed.",
      "z.md": "# Oars, when they close\n\nText.",
    };
    const found = await call(files, "search_files", { query: "close oars" });
    const paths = ["z.md", "oars.md", "a.md", "coverage.md"];
    expect(found.content).toMatchObject([{ type: "json", value: paths.map((path) => ({ path })) }]);
  });

  it("read a file, from a line on, and say where to go on when it is long", async () => {
    expect(await call({ "a.md": "one\ntwo" }, "read_file", { path: "a.md" })).toMatchObject({
      content: [{ text: "one\ntwo" }],
      summary: "2 lines",
    });
    expect(await call({ "a.md": "one\ntwo" }, "read_file", { path: "a.md", fromLine: 2 })).toMatchObject({
      content: [{ text: "two" }],
    });
    const long = { "a.md": Array.from({ length: 10_000 }, () => "123456789").join("\n") };
    const first = await call(long, "read_file", { path: "a.md" });
    expect(first.content).toMatchObject([{ text: expect.stringMatching(/\n\[cut: go on with fromLine 4001\]$/) }]);
    await expect(call({ "a.md": "one" }, "read_file", { path: "a.md", fromLine: 2 })).rejects.toThrow("1 line only");
  });
});
