import { describe, expect, it } from "vitest";
import { callersFolder, readArgs } from "./args.js";

describe("readArgs", () => {
  it("takes a question, a folder and a model", () => {
    expect(readArgs(["--dir", "notes", "--model", "openai/gpt-5", "What", "is it?"], "/home/ann")).toEqual({
      help: false,
      question: "What is it?",
      dir: "/home/ann/notes",
      model: "openai/gpt-5",
      store: undefined,
      thread: undefined,
      delayMs: undefined,
    });
  });

  it("takes a store and a thread as they are", () => {
    expect(readArgs(["--store", "jsonl:a b", "--thread", "a/b"], "/w")).toMatchObject({
      store: "jsonl:a b",
      thread: "a/b",
      question: undefined,
    });
  });

  it.each([
    [["--nonsense"], /--nonsense/],
    [["--dir"], /--dir/],
    [["--dir", ""], /--dir needs a path/],
    [["--dir", "a\0b"], /--dir needs a path/],
    [[" "], /question is empty/],
    [["--thread", ""], /--thread needs a name/],
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
