import { describe, expect, it } from "vitest";
import { filesInQuestion, findFiles, rankFiles } from "./paths.js";

const pathsIn = (value: Parameters<typeof findFiles>[0]): readonly string[] => findFiles(value).map(({ path }) => path);

describe("findFiles", () => {
  it("finds files in every form that tools return them in", () => {
    expect(pathsIn(["a.md", "b c.txt"])).toEqual(["a.md", "b c.txt"]);
    expect(pathsIn([{ path: "a.md", line: 3 }, { path: "a.md" }, { file: "b" }])).toEqual(["a.md", "b"]);
    expect(pathsIn({ matches: [{ filename: "a.md" }], total: 1 })).toEqual(["a.md"]);
    expect(pathsIn("a.md:3: text with e.g. dots\n- docs/b.md\n1. c.md 20 bytes\nmy file.md:2:x")).toEqual([
      "a.md",
      "docs/b.md",
      "c.md",
      "my file.md",
    ]);
  });

  it("finds none in prose, numbers and nothing", () => {
    for (const value of ["No matches. Try again.", 3, null, undefined, {}, []]) expect(pathsIn(value)).toEqual([]);
  });
});

describe("rankFiles", () => {
  it("puts files first whose name and lines have most of the words", () => {
    const files = [
      { path: "a.md", text: "an oar" },
      { path: "b.md", text: "a broken oar" },
      { path: "docs/broken-oars.md", text: "" },
    ];
    expect(rankFiles(files, ["broken", "oar"])).toEqual(["docs/broken-oars.md", "b.md", "a.md"]);
  });
});

describe("rankFiles, of files with the same words", () => {
  it("puts the one first whose title has them, and the one last that has them in a table", () => {
    const files = [
      { path: "coverage.md", text: "| closing a connection | test |" },
      { path: "b.md", text: "the connection closes" },
      { path: "c.md", text: "# Closed connections" },
    ];
    expect(rankFiles(files, ["close", "connection"])).toEqual(["c.md", "b.md", "coverage.md"]);
  });
});

describe("filesInQuestion", () => {
  it("knows a file name from a version and an abbreviation", () => {
    expect(filesInQuestion("What do docs/a.md and README.md say of 1.2.3, e.g. on Node.js?")).toEqual([
      "docs/a.md",
      "README.md",
    ]);
  });
});
