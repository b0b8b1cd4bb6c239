import { describe, expect, it } from "vitest";
import { callersFolder, readArgs } from "./args.js";

describe("readArgs", () => {
  it("takes a question, a folder and a model", () => {
    expect(readArgs(["--dir", "notes", "--model", "openai/gpt-5", "What", "is it?"], "/home/ann")).toEqual({
      help: false,
      question: "What is it?",
      dir: "/home/ann/notes",
      model: "openai/gpt-5",
      resume: undefined,
      state: "/home/ann/demo-run.json",
      delayMs: undefined,
    });
  });

  it("keeps a run that is stopped again in the file that it came from", () => {
    expect(readArgs(["--resume", "a.json"], "/w").state).toBe("/w/a.json");
    expect(readArgs(["--resume", "a.json", "--state", "b.json"], "/w").state).toBe("/w/b.json");
  });

  it.each([
    [["--nonsense"], /--nonsense/],
    [["--dir"], /--dir/],
    [["--dir", ""], /--dir needs a path/],
    [["--dir", "a\0b"], /--dir needs a path/],
    [[" "], /question is empty/],
    [["--resume", "a.json", "What?"], /leave the question out/],
    [["--delay", "soon"], /--delay/],
    [["--delay", "99999"], /--delay/],
    [["--help=3"], /--help/],
  ])("refuses %j in one line", (args, message) => {
    expect(() => readArgs(args, "/w")).toThrow(
      expect.objectContaining({ name: "UsageError", message: expect.stringMatching(message) }),
    );
    expect(() => readArgs(args, "/w")).toThrow(/^[^\n]*$/);
  });
});

describe("callersFolder", () => {
  it("is where npm was called, when npm runs the demo", () => {
    expect(callersFolder({ npm_lifecycle_event: "demo", INIT_CWD: "/home/ann" }, "/repo")).toBe("/home/ann");
    expect(callersFolder({ npm_lifecycle_event: "test", INIT_CWD: "/home/ann" }, "/repo")).toBe("/repo");
    expect(callersFolder({}, "/repo")).toBe("/repo");
  });
});
