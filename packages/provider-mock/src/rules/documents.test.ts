import { userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { declare, drive, fileTools, overFiles, runAll } from "../../test/drive.js";
import { decide } from "../decide.js";

const files = {
  "README.md": "# Boats\n\nThis repository is about boats.",
  "docs/sails.md": "# Sails\n\nA torn sail is mended within a day. Ropes are blue.",
  "docs/oars.md": "# Oars\n\nAn oar is made of ash. A broken oar is replaced by the harbour master.",
};
const question = "Who replaces a broken oar?";

describe("questions about files", () => {
  it("are answered by searching, reading the best files, and quoting the fitting sentence with its file", () => {
    const { turns, answer } = drive(question, fileTools, overFiles(files));
    expect(turns[0]).toEqual([{ name: "search_files", args: { query: "replaces broken oar" } }]);
    expect(turns[1]).toEqual([{ name: "read_file", args: { path: "docs/oars.md" } }]);
    expect(answer).toMatch(/^docs\/oars\.md, "Oars":\nA broken oar is replaced by the harbour master\./);
    expect(answer).not.toContain("Ropes");
  });

  it("end with a note that no language model answered", () => {
    expect(drive(question, fileTools, overFiles(files)).answer).toMatch(
      /offline rule-based stand-in, not a language model/,
    );
  });

  it("may take two files in one turn", () => {
    const { turns } = drive("How are a torn sail and a broken oar mended?", fileTools, overFiles(files));
    expect(turns[1]?.map(({ args }) => args.path)).toEqual(["docs/sails.md", "docs/oars.md"]);
  });

  it("drive tools of other names, known by their schemas and descriptions", () => {
    const tools = [
      declare("grep", "Find lines that match.", { pattern: { type: "string" }, limit: { type: "integer" } }, [
        "pattern",
      ]),
      declare("cat", "Show the contents of a file.", { file_path: { type: "string" } }),
    ];
    const { calls, answer } = drive(question, tools, ({ name, args }) => {
      if (name === "grep") return String(args.pattern) === "replaces" ? "" : "docs/oars.md:3: a broken oar";
      return files["docs/oars.md"];
    });
    expect(calls).toEqual([
      { name: "grep", args: { pattern: "replaces" } },
      { name: "grep", args: { pattern: "broken" } },
      { name: "cat", args: { file_path: "docs/oars.md" } },
    ]);
    expect(answer).toContain("harbour master");
  });

  it("that name a file read that file without a search", () => {
    const { calls } = drive("What does docs/sails.md say about ropes?", fileTools, overFiles(files));
    expect(calls).toEqual([{ name: "read_file", args: { path: "docs/sails.md" } }]);
  });

  it.each([
    "What are these documents about?",
    "What's this project about?",
    "what is this?",
    "Summarize the docs",
    "Please give me an overview of all the files.",
    "What's in this folder?",
    "What do the documents say?",
    "Can you describe this repo?",
  ])("that want to know what all of it is about are told how the files begin: %s", (asked) => {
    const { calls, answer } = drive(asked, fileTools, overFiles(files));
    expect(calls[0]).toEqual({ name: "list_files", args: {} });
    expect(answer).toMatch(/^There are 3 files\. This is how .*begin:/);
    expect(answer).toContain("This repository is about boats.");
  });

  it("about what a file is named after are answered with how it begins first", () => {
    const { answer } = drive("Tell me about oars", fileTools, overFiles(files));
    expect(answer).toMatch(/^docs\/oars\.md, "Oars":\nAn oar is made of ash\./);
    const more = {
      ...files,
      "docs/sub-agents.md": "# Sub-agents\n\nThis page is about helpers. A sub-agent is one.\n",
    };
    expect(drive("What is a sub-agent?", fileTools, overFiles(more)).answer).toMatch(/This page is about helpers\./);
  });

  it("that want to know what is in a file are told how it begins", () => {
    const { calls, answer } = drive("What's in docs/oars.md?", fileTools, overFiles(files));
    expect(calls).toEqual([{ name: "read_file", args: { path: "docs/oars.md" } }]);
    expect(answer).toContain("An oar is made of ash.");
  });

  it("are told which of their words nothing mentions", () => {
    const { answer } = drive("Who paints a broken compass needle?", fileTools, overFiles(files));
    expect(answer).toContain("nothing mentions paints, compass, needle. This comes nearest:");
    expect(drive(question, fileTools, overFiles(files)).answer).not.toContain("mentions");
  });

  it("are searched for without what is left of a contraction or a genitive", () => {
    const { calls } = drive("What's the harbour master's name, and who doesn't know it?", fileTools, overFiles(files));
    expect(calls[0]?.args.query).toBe("harbour master name know");
  });

  it("for a list of files are answered with it", () => {
    const { calls, answer } = drive("How many files are there?", fileTools, overFiles(files));
    expect(calls).toEqual([{ name: "list_files", args: {} }]);
    expect(answer).toContain("There are 3 files:");
    expect(answer).toContain("- docs/oars.md");
  });

  it("that ask what the documents are about are answered with how they begin, the README first", () => {
    for (const asked of ["What are these documents about?", "what is this folder about"]) {
      const { turns, answer } = drive(asked, fileTools, overFiles({ ...files, "a.md": "" }));
      expect(turns[0]).toEqual([{ name: "list_files", args: {} }]);
      expect(turns[1]?.[0]).toEqual({ name: "read_file", args: { path: "README.md" } });
      expect(answer).toMatch(
        /^There are 4 files\. This is how some of them begin:\n\nREADME\.md, "Boats":\nThis repository is about boats\./,
      );
      expect(answer).toContain('docs/oars.md, "Oars":\nAn oar is made of ash.');
    }
    expect(drive("What do these documents say about ropes?", fileTools, overFiles(files)).answer).toContain(
      "Ropes are",
    );
  });

  it("go on to the next file when one cannot be read, and say so", () => {
    const execute = overFiles(files);
    const { answer } = drive(question, fileTools, (call) =>
      call.name === "search_files"
        ? [{ path: "gone.md", line: "replaced broken oar" }, { path: "docs/oars.md" }]
        : execute(call),
    );
    expect(answer).toContain("harbour master");
    expect(answer).toContain("I could not read gone.md: Error: there is no such file");
  });

  it("are given up, and say why, when no file can be read", () => {
    const { answer } = drive(question, fileTools, (call) => {
      if (call.name === "read_file") throw new Error("disk on fire");
      return ["docs/oars.md"];
    });
    expect(answer).toMatch(
      /^I found no answer: none of the files could be read\.\n\nI could not read docs\/oars\.md: Error: disk on fire/,
    );
  });

  it("are given up after a few files that cannot be read", () => {
    const { calls } = drive(question, fileTools, ({ name }) => {
      if (name === "read_file") throw new Error("disk on fire");
      return ["1.md", "2.md", "3.md", "4.md", "5.md", "6.md"];
    });
    expect(calls.filter(({ name }) => name === "read_file").map(({ args }) => args.path)).toEqual([
      "1.md",
      "2.md",
      "3.md",
      "4.md",
    ]);
  });

  it("are answered from the lines that the search gave when no file can be read", () => {
    const { answer } = drive(question, fileTools, (call) => {
      if (call.name === "read_file") throw new Error("disk on fire");
      return overFiles(files)(call);
    });
    expect(answer).toMatch(/^docs\/oars\.md, "Oars":\nA broken oar is replaced/);
    expect(answer).toContain("disk on fire");
  });

  it("search for single words when all together find nothing, then say that nothing was found", () => {
    const { calls, answer } = drive("Zebras and elephants?", fileTools, overFiles(files));
    expect(calls.map(({ args }) => args.query)).toEqual(["zebras elephants", "elephants", "zebras"]);
    expect(answer).toMatch(/^I found no answer: the search found nothing\./);
  });

  it("fall back on the list of files when the search fails", () => {
    const { calls, answer } = drive(question, fileTools, (call) => {
      if (call.name === "search_files") throw new Error("no index");
      return overFiles(files)(call);
    });
    expect(calls.map(({ name }) => name).slice(0, 3)).toEqual(["search_files", "list_files", "read_file"]);
    expect(calls.find(({ name }) => name === "read_file")?.args.path).toBe("docs/oars.md");
    expect(answer).toContain("harbour master");
  });

  it("are answered from the search alone when nothing can be read", () => {
    const { answer } = drive(question, fileTools.slice(1, 2), () => "A broken oar is replaced by the harbour master.");
    expect(answer).toMatch(/^search_files:\nA broken oar is replaced by the harbour master\./);
  });

  it("in an unknown language are searched for by their words", () => {
    const german = { "ruder.md": "Ein zerbrochenes Ruder wird vom Hafenmeister ersetzt." };
    expect(drive("Wer ersetzt ein zerbrochenes Ruder?", fileTools, overFiles(german)).answer).toContain("Hafenmeister");
    const japanese = { "kai.md": "折れた櫂は港長が交換します。帆は青い。" };
    expect(drive("折れた櫂は誰が交換しますか", fileTools, overFiles(japanese)).answer).toContain("港長");
  });

  it("never call a tool that changes files", () => {
    const tools = [
      declare("write_file", "Writes a file, after it was read.", { path: { type: "string" } }),
      declare("delete_file", "Deletes what a read would show.", { path: { type: "string" } }),
      ...fileTools,
    ];
    const { calls } = drive("What does docs/sails.md say about ropes?", tools, overFiles(files));
    expect(calls).toEqual([{ name: "read_file", args: { path: "docs/sails.md" } }]);
  });

  it("are answered from what was read when the tools are taken away", () => {
    const read = runAll([{ name: "read_file", args: { path: "docs/oars.md" } }], 0, overFiles(files));
    const messages = [userMessage(question), ...read];
    for (const request of [{ messages }, { messages, tools: fileTools, toolChoice: "none" as const }]) {
      expect(decide(request)).toMatchObject({
        type: "answer",
        text: expect.stringContaining('docs/oars.md, "Oars":\nA broken oar'),
      });
    }
  });

  it("look at the last question only", () => {
    const earlier = runAll([{ name: "search_files", args: { query: "sails" } }], 0, overFiles(files));
    const reply = decide({ messages: [userMessage("Sails?"), ...earlier, userMessage(question)], tools: fileTools });
    expect(reply).toEqual({ type: "calls", calls: [{ name: "search_files", args: { query: "replaces broken oar" } }] });
  });
});
