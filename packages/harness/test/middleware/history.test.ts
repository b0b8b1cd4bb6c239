import { type HistoryEdit, type Message, type Middleware, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { failureOf } from "../support/failures.js";
import { historyProblems } from "../support/kept-runs.js";
import { threads } from "../support/threads.js";
import { transcript } from "../support/transcript.js";

type Edit = Omit<HistoryEdit, "by">;

const note = (content: string): Message => userMessage(content);
const said = (...contents: string[]): Message[] => contents.map(note);

/** Asks for an edit the first time that `when` holds. */
function editing(name: string, edit: Edit, hook: keyof Middleware = "beforeModel"): Middleware {
  let asked = false;
  return {
    name,
    [hook]: () => {
      if (asked) return undefined;
      asked = true;
      return { history: edit };
    },
  };
}

describe("an edit of the history", () => {
  test("is made before the model call, recorded in the history, and told as an event (MWH-01)", async () => {
    const events = eventRecorder();
    const model = scriptedModel(["fine"]);
    const summary = editing("summary", { from: 0, to: 2, messages: said("[two things were said]") });
    const agent = createAgent({ name: "a", model, middleware: [summary], events });
    const run = await agent.invoke(said("one", "two", "three"));
    expect(transcript(model.requests[0]?.messages ?? [])).toEqual(["user: [two things were said]", "user: three"]);
    expect(transcript(run.messages)).toEqual(["user: [two things were said]", "user: three", "assistant: fine"]);
    expect(events.ofType("history.edited").map(({ data }) => data)).toEqual([{ by: "summary", removed: 2, added: 1 }]);
    expect(events.types().indexOf("history.edited")).toBeLessThan(events.types().indexOf("model.started"));
  });

  test.each(["beforeAgent", "beforeModel", "beforeTool", "afterTool", "afterModel"] as const)(
    "from %s is there at the next model call (MWH-01)",
    async (hook) => {
      const model = scriptedModel([{ toolCalls: [{ name: "look" }] }, "done"]);
      const tools = [fakeTool({ name: "look" })];
      const middleware = [editing("edit", { from: 0, to: 1, messages: said("changed") }, hook)];
      const run = await createAgent({ name: "a", model, tools, middleware }).invoke("said");
      expect(transcript(model.requests.at(-1)?.messages ?? [])[0]).toBe("user: changed");
      expect(historyProblems(run)).toBe("");
    },
  );

  test("from afterAgent is in what memory keeps (MEM-04)", async () => {
    const memory = threads();
    const middleware = [editing("trim", { from: 0, to: 1, messages: said("short") }, "afterAgent")];
    const agent = createAgent({ name: "a", model: scriptedModel(["fine"]), memory, middleware });
    const run = await agent.invoke("long", { threadId: "t" });
    expect(transcript(memory.saves[0]?.state.messages ?? [])).toEqual(["user: short", "assistant: fine"]);
    expect(run.text).toBe("fine");
  });

  test("leaves what is new in the run told apart from what is not (MWH-01)", async () => {
    const known = { t: { v: 1, messages: said("old one", "old two") } } as const;
    const edited = async (edit: Edit): Promise<readonly string[]> => {
      const agent = createAgent({
        name: "a",
        model: scriptedModel(["fine"]),
        memory: threads(known),
        middleware: [editing("edit", edit)],
      });
      return transcript((await agent.invoke("new", { threadId: "t" })).newMessages);
    };
    expect(await edited({ from: 0, to: 2, messages: said("short") })).toEqual(["user: new", "assistant: fine"]);
    expect(await edited({ from: 0, to: 0, messages: said("a", "b") })).toEqual(["user: new", "assistant: fine"]);
    expect(await edited({ from: 3, to: 3, messages: said("more") })).toEqual([
      "user: new",
      "user: more",
      "assistant: fine",
    ]);
  });

  test.each([
    ["takes a result from its call", { from: 2, to: 3, messages: [] }],
    ["takes a call from its result", { from: 1, to: 2, messages: [] }],
    ["is out of range", { from: 1, to: 9, messages: [] }],
    ["runs backwards", { from: 2, to: 1, messages: [] }],
    ["has no whole numbers", { from: 0.5, to: 1, messages: [] }],
  ])("that %s is refused with an error that names who asked (MWH-01, MWH-06)", async (_, edit) => {
    const model = scriptedModel([{ toolCalls: [{ name: "look" }] }, "done"]);
    const middleware = [editing("clumsy", edit, "afterTool")];
    const agent = createAgent({ name: "a", model, tools: [fakeTool({ name: "look" })], middleware });
    const { error, run } = await failureOf(agent.invoke("Go."));
    expect([error.code, error.details]).toEqual(["middleware_failed", { middleware: "clumsy", hook: "history" }]);
    expect(historyProblems(run)).toBe("");
    expect(run.messages).toHaveLength(3);
  });

  test("asked for again after each edit, so that no model call is ever made, ends the run (MWH-01)", async () => {
    const endless: Middleware = {
      name: "endless",
      beforeModel: ({ messages }) => ({
        history: { from: messages.length, to: messages.length, messages: said("more") },
      }),
    };
    const agent = createAgent({ name: "a", model: scriptedModel([]), middleware: [endless] });
    const { error } = await failureOf(agent.invoke("Go."));
    expect(error.details).toEqual({ middleware: "endless", hook: "history" });
  });
});

describe("several edits at once", () => {
  const run = async (edits: readonly (readonly [string, Edit])[]) => {
    const middleware = edits.map(([name, edit]) => editing(name, edit));
    const agent = createAgent({ name: "a", model: scriptedModel(["fine"]), middleware });
    return transcript((await agent.invoke(said("0", "1", "2", "3", "4"))).messages).slice(0, -1);
  };

  test("each mean the history as it was, whatever the edits before them moved (MWH-01)", async () => {
    const edited = await run([
      ["first", { from: 0, to: 2, messages: said("A") }],
      ["second", { from: 3, to: 4, messages: said("B", "C") }],
      ["third", { from: 4, to: 5, messages: [] }],
    ]);
    expect(edited).toEqual(["user: A", "user: 2", "user: B", "user: C"]);
  });

  test("may come in any order of places (MWH-01)", async () => {
    const edited = await run([
      ["first", { from: 3, to: 5, messages: said("B") }],
      ["second", { from: 0, to: 1, messages: said("A", "A") }],
    ]);
    expect(edited).toEqual(["user: A", "user: A", "user: 1", "user: 2", "user: B"]);
  });

  test("of the same messages are refused, and both who asked are named (MWH-01)", async () => {
    const clash = run([
      ["first", { from: 0, to: 3, messages: said("A") }],
      ["second", { from: 2, to: 4, messages: said("B") }],
    ]);
    const { error } = await failureOf(clash);
    expect(error.details).toEqual({ middleware: "second", hook: "history" });
    expect(error.message).toContain("first");
  });
});
