import {
  type Block,
  checkHistory,
  collect,
  content,
  type JsonObject,
  type Message,
  type Middleware,
  type ModelDelta,
  type ModelRequest,
  text,
  toolCalls,
  toolText,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { fakeTool } from "@tinyagents/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withToolCalls } from "../../src/text-calls/from-stream.js";
import { type TextTools, textToolsOf } from "../../src/text-calls/text-tools.js";
import { call, resultsOf, scriptedAgent, stored } from "../support/tool-runs.js";

const sql = () =>
  fakeTool({
    name: "sql",
    description: "Asks the database.",
    input: z.object({ query: z.string() }),
    format: { type: "text", argument: "query" },
    execute: ({ query }) => `rows of ${query}`,
  });
const search = () =>
  fakeTool({
    name: "search",
    input: z.object({ q: z.string(), most: z.number().default(3) }),
    format: { type: "text", open: "CALL search", close: "END" },
  });

/** What a request says, message by message. */
function said({ messages }: ModelRequest): readonly string[] {
  return messages.map((message) => `${message.role}: ${text(message)}`);
}

function blocksOf(message: Message | undefined): readonly unknown[] {
  return (message?.content ?? []).map((block) => {
    if (block.type === "text") return block.text;
    if (block.type !== "tool_call") return block.type;
    return block.invalid === undefined ? [block.name, block.args] : [block.name, block.invalid];
  });
}

describe("a tool with a text format", () => {
  test("is described in the instructions, and not declared to the provider (TOOL-18)", async () => {
    const { run, model } = scriptedAgent({
      tools: [sql(), fakeTool({ name: "native" })],
      system: "Be brief.",
      script: ["done"],
    });
    await run();
    const [request] = model.requests as [ModelRequest];
    expect(request.tools?.map(({ name }) => name)).toEqual(["native"]);
    const instructions = text(request.messages[0] as Message);
    expect(instructions).toMatch(/^Be brief\.\n\n/);
    for (const part of ["Tool sql: Asks the database.", "<sql>...</sql>", '"query" as it is', '"type":"object"']) {
      expect(instructions).toContain(part);
    }
    expect(instructions).not.toContain("native");
  });

  test("is called in the text of an answer, and what is checked and run is a call like any other (TOOL-18)", async () => {
    const seen: unknown[] = [];
    const tool = sql();
    const watch: Middleware = {
      name: "watch",
      beforeTool: ({ id, name, args, validation }) => void seen.push({ id, name, args, validation }),
    };
    const { run, events } = scriptedAgent({
      tools: [tool],
      middleware: [watch],
      script: ["Let me look.\n<sql>\nselect '<b>'\n  from \"t\"\n</sql>\n", "Two rows."],
    });
    const finished = await run();
    const query = "select '<b>'\n  from \"t\"";
    expect(tool.calls.map(({ input }) => input)).toEqual([{ query }]);
    expect(seen).toEqual([{ id: "m1_t1", name: "sql", args: { query }, validation: "passed" }]);
    expect(blocksOf(finished.messages[1])).toEqual(["Let me look.\n", ["sql", { query }]]);
    expect(resultsOf(finished)).toMatchObject([{ toolCallId: "m1_t1", name: "sql", status: "ok" }]);
    expect(finished).toMatchObject({ status: "completed", text: "Two rows." });
    expect(events.ofType("model.completed").map(({ data }) => data.finishReason)).toEqual(["tool_calls", "stop"]);
    expect(checkHistory(finished.messages)).toEqual([]);
  });

  test("has its calls and their results in the next request as text, as the model wrote them (TOOL-18)", async () => {
    const { run, model } = scriptedAgent({
      tools: [sql(), search()],
      script: ['Now.\n<sql>select 1</sql>CALL search {"q":"x"} END', "done"],
    });
    await run();
    const [, request] = model.requests as [ModelRequest, ModelRequest];
    expect(said(request).slice(1)).toEqual([
      "user: Go.",
      'assistant: Now.\n<sql>select 1</sql>\nCALL search{"q":"x"}END',
      "user: [Result of sql]\nrows of select 1\n[Result of search]\nok\n",
    ]);
    expect(request.messages.flatMap(toolCalls)).toEqual([]);
    expect(request).not.toHaveProperty("tools");
  });

  test("stands beside native ones: each keeps its own syntax, and results follow their calls (TOOL-18)", async () => {
    const native = fakeTool({ name: "native" });
    const { run, model } = scriptedAgent({
      tools: [native, sql()],
      script: [{ text: "<sql>select 1</sql>", toolCalls: [{ id: "n", name: "native", args: {} }] }, "done"],
    });
    const finished = await run();
    expect(resultsOf(finished).map(({ name, status }) => [name, status])).toEqual([
      ["sql", "ok"],
      ["native", "ok"],
    ]);
    const [, request] = model.requests as [ModelRequest, ModelRequest];
    expect(request.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
    expect(checkHistory(request.messages)).toEqual([]);
    expect(blocksOf(request.messages[2])).toEqual(["<sql>select 1</sql>", ["native", {}]]);
  });

  test("gives images to the model, and tells failures from results (TOOL-18)", async () => {
    const image: Block = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
    const draw = fakeTool({ name: "draw", format: { type: "text" }, results: [content([image]), new Error("no ink")] });
    const { run, model } = scriptedAgent({ tools: [draw], script: ["<draw>{}</draw><draw>{}</draw>", "done"] });
    await run();
    expect(model.requests[1]?.messages.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "text", text: "[Result of draw]\n\n" },
        image,
        { type: "text", text: "[Failure of draw]\nThe tool draw failed: no ink\n" },
      ],
    });
  });

  test.each([
    ["is no JSON", '{"q": x', "they are no JSON object"],
    ["is another JSON", "[1]", "they are no JSON object"],
    ["does not fit", '{"most":1}', "- q: "],
  ])("called with what %s is told so, and nothing runs (TOOL-18, TOOL-12)", async (_, body, reason) => {
    const tool = search();
    const { run, model } = scriptedAgent({ tools: [tool], script: [`CALL search${body}END`, "done"] });
    const finished = await run();
    expect(resultsOf(finished)[0]?.status).toBe("invalid");
    expect(toolText(resultsOf(finished)[0] as never)).toContain(reason);
    expect(tool.calls).toHaveLength(0);
    expect(said(model.requests[1] as ModelRequest)[2]).toBe(`assistant: CALL search${body}END`);
  });

  test("whose call has no end is told so: nothing runs on a part (TOOL-18, PA-02)", async () => {
    const tool = sql();
    const { run } = scriptedAgent({ tools: [tool], script: ["Wait.\n<sql>drop table", "done"] });
    const finished = await run();
    expect(blocksOf(finished.messages[1])).toEqual([
      "Wait.\n",
      ["sql", { reason: "The call does not end with </sql>", raw: "drop table" }],
    ]);
    expect(resultsOf(finished)[0]?.status).toBe("invalid");
    expect(tool.calls).toHaveLength(0);
  });

  test("does not run out of an answer that was cut at its longest (TOOL-18, AL-09)", async () => {
    const tool = sql();
    const { run } = scriptedAgent({
      tools: [tool],
      script: [{ text: "<sql>select 1</sql>", finishReason: "length" }],
    });
    const finished = await run();
    expect(finished).toMatchObject({ status: "incomplete", finishReason: "length" });
    expect(resultsOf(finished)[0]?.status).toBe("not_run");
    expect(tool.calls).toHaveLength(0);
  });

  test("that is not offered is not looked for: its marks are text (TOOL-15, TOOL-18)", async () => {
    const tool = sql();
    const { run, model } = scriptedAgent({
      tools: [tool, search()],
      middleware: [
        {
          name: "hide",
          beforeModel: (request) => ({
            replace: { ...request, tools: request.tools?.filter(({ name }) => name === "search") ?? [] },
          }),
        },
      ],
      script: ["Write <sql>select 1</sql> to ask."],
    });
    const finished = await run();
    expect(finished.text).toBe("Write <sql>select 1</sql> to ask.");
    expect(said(model.requests[0] as ModelRequest)[0]).not.toContain("sql");
    expect(said(model.requests[0] as ModelRequest)[0]).toContain("Tool search");
  });

  test("works with a model that knows of no tools, as long as no other is offered (TOOL-18)", async () => {
    const modelOptions = { profile: { capabilities: { tools: "no" } } } as const;
    const { run } = scriptedAgent({ tools: [sql()], modelOptions, script: ["<sql>1</sql>", "done"] });
    expect((await run()).text).toBe("done");
    const mixed = scriptedAgent({ tools: [sql(), fakeTool({ name: "native" })], modelOptions, script: [] });
    await expect(mixed.run()).rejects.toMatchObject({ code: "capability_missing" });
  });

  test("cannot be forced: the model is asked in words, and a warning says so (TOOL-18)", async () => {
    const warnings: unknown[] = [];
    const { run, model } = scriptedAgent({
      tools: [sql()],
      settings: { toolChoice: "required" },
      middleware: [{ name: "watch", afterModel: (response) => void warnings.push(...response.warnings) }],
      script: ["<sql>1</sql>", "done"],
    });
    await run();
    expect(model.requests[0]).not.toHaveProperty("toolChoice");
    expect(said(model.requests[0] as ModelRequest)[0]).toMatch(/Call a tool now\.$/);
    expect(warnings[0]).toMatchObject({ code: "changed_setting", setting: "toolChoice" });
  });

  test("is left out of a last answer without tools (LIM-03, TOOL-18)", async () => {
    const { run, model } = scriptedAgent({
      tools: [sql()],
      limits: { maxModelCalls: 1 },
      policies: { onLimit: "finalize" },
      script: ["<sql>1</sql>", "That is all."],
    });
    expect((await run()).text).toBe("That is all.");
    expect(said(model.requests[1] as ModelRequest)[0]).toBe("user: Go.");
  });

  test("has calls with ids of their own, over several turns and in another process (TOOL-18)", async () => {
    const tool = sql();
    const { agent } = scriptedAgent({ tools: [tool], script: ["<sql>1</sql><sql>2</sql>", "<sql>3</sql>", "done"] });
    let state = agent.initialState("Go.");
    while (state.phase !== "done") state = await agent.step(stored(state));
    expect(state.messages.flatMap(toolCalls).map(({ id }) => id)).toEqual(["m1_t1", "m1_t2", "m2_t1"]);
    expect(tool.calls.map(({ input }) => input)).toEqual([{ query: "1" }, { query: "2" }, { query: "3" }]);
  });

  test("that was written by hand is refused when it has no marks", () => {
    const { spec, ...rest } = sql();
    const made = { ...rest, spec: { ...spec, format: { type: "text" } as never } };
    expect(() => scriptedAgent({ tools: [made], script: [] })).toThrow(/the format of "sql" has no marks/);
  });

  test("is refused beside another whose calls could not be told from its own", () => {
    const clash = fakeTool({ name: "sql2", format: { type: "text", open: "<sql>2", close: "!" } });
    expect(() => scriptedAgent({ tools: [sql(), clash], script: [] })).toThrow(/"sql" and "sql2" cannot be told apart/);
  });
});

describe("however an answer is cut into fragments", () => {
  const PIECES = [
    "a",
    " ",
    "\n",
    "<",
    "<sq",
    "<sql>",
    "</sql>",
    "</s",
    "CALL search",
    "CALL ",
    "END",
    "EN",
    '{"q":"x"}',
    "😀",
  ];

  const tools = textToolsOf([sql().spec, search().spec]) as TextTools;

  /** What an answer in these fragments adds up to. */
  async function readIn(fragments: readonly string[]): Promise<readonly unknown[]> {
    const stream = async function* (): AsyncGenerator<ModelDelta> {
      for (const fragment of fragments) yield { type: "text", index: 0, text: fragment };
      yield { type: "finish", finishReason: "stop" };
    };
    const model = { id: "test/m", provider: "test", model: "m" };
    return blocksOf((await collect(withToolCalls(stream(), tools, "run-1/m1", []), model)).message);
  }

  test("its calls are the same, and no text is lost (TOOL-18)", async () => {
    const answers = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(""));
    await fc.assert(
      fc.asyncProperty(answers, fc.array(fc.nat(), { maxLength: 8 }), async (answer, cuts) => {
        const places = [...new Set(cuts.map((cut) => cut % (answer.length + 1)))].toSorted((a, b) => a - b);
        const fragments = [0, ...places].map((from, at) => answer.slice(from, places[at]));
        const whole = await readIn([answer]);
        expect(await readIn(fragments)).toEqual(whole);
        expect(await readIn([...answer])).toEqual(whole);
        expect(whole).toEqual(expected(answer));
      }),
      { numRuns: 300 },
    );
  });

  /** What is in an answer, read in one go. */
  function expected(answer: string): readonly unknown[] {
    const found: unknown[] = [];
    let rest = answer;
    const keep = (part: string): void => void (part.trim() !== "" && found.push(part));
    for (;;) {
      const at = ["<sql>", "CALL search"]
        .map((open) => rest.indexOf(open))
        .map((place) => (place < 0 ? Infinity : place));
      const first = Math.min(...at);
      if (first === Infinity) break;
      const isSql = first === at[0];
      keep(rest.slice(0, first));
      const body = rest.slice(first + (isSql ? "<sql>" : "CALL search").length);
      const end = body.indexOf(isSql ? "</sql>" : "END");
      if (end < 0) {
        const reason = `The call does not end with ${isSql ? "</sql>" : "END"}`;
        return [...found, [isSql ? "sql" : "search", { reason, raw: body }]];
      }
      found.push(isSql ? ["sql", sqlArgs(body.slice(0, end))] : ["search", expect.anything()]);
      rest = body.slice(end + (isSql ? "</sql>" : "END").length);
    }
    keep(rest);
    return found;
  }

  function sqlArgs(body: string): JsonObject {
    return { query: body.replace(/^\n/, "").replace(/\n$/, "") };
  }

  test("watchers see the text as it comes, never a part of a mark or of a call (TOOL-18)", async () => {
    const { agent } = scriptedAgent({
      tools: [sql()],
      script: [
        {
          deltas: [
            ...["Now ", "look <", "b> <s", "ql>sel", "ect 1</sq", "l> so"].map(
              (fragment): ModelDelta => ({ type: "text", index: 0, text: fragment }),
            ),
            { type: "finish", finishReason: "stop" },
          ],
        },
        "done",
      ],
    });
    const shown: unknown[] = [];
    for await (const item of agent.stream("Go.")) {
      if (item.type === "text") shown.push(item.text);
      if (item.type === "tool_call_start") shown.push([item.name]);
      if (item.type === "tool_call_args") shown.push([item.args]);
    }
    expect(shown).toEqual(["Now ", "look ", "<b> ", ["sql"], ['{"query":"select 1"}'], " so", "done"]);
  });

  test("what came before a restart is forgotten, and what a broken stream held back is kept (TOOL-18)", async () => {
    const { run } = scriptedAgent({
      tools: [sql()],
      policies: { retry: { maxAttempts: 1 } },
      script: [
        {
          deltas: [
            { type: "text", index: 0, text: "<sql>half" },
            { type: "restart", attempt: 2, reason: "network" },
            { type: "text", index: 0, text: "whole <sql>1</sql>" },
            { type: "finish", finishReason: "stop" },
          ],
        },
        { deltas: [{ type: "text", index: 0, text: "I will <sql>sel" }] },
      ],
    });
    const failed = await run().catch((error) => error);
    expect(failed).toMatchObject({ code: "network", details: { partialText: "I will <sql>sel" } });
    expect(blocksOf(failed.run.messages[1])).toEqual(["whole ", ["sql", { query: "1" }]]);
  });
});

test("blocks that are whole keep what the provider attached, and other blocks their places (TOOL-18)", async () => {
  const providerMetadata = { acme: { id: "b1" } };
  const { run } = scriptedAgent({
    tools: [sql()],
    script: [
      {
        blocks: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "no call", providerMetadata },
          { type: "text", text: "then <sql>1</sql> and", providerMetadata },
          { type: "citation", source: { at: 1 } },
        ],
      },
      "done",
    ],
  });
  const finished = await run();
  const answer = finished.messages.find(({ role }) => role === "assistant");
  expect(blocksOf(answer)).toEqual(["reasoning", "no call", "then ", ["sql", { query: "1" }], " and", "citation"]);
  expect(answer?.content[1]).toMatchObject({ providerMetadata });
  expect(answer?.content[4]).toMatchObject({ providerMetadata });
});

test.each<[string, unknown]>([
  [
    "a text that is none",
    [
      { type: "text", index: 0 },
      { type: "finish", finishReason: "stop" },
    ],
  ],
  [
    "a text of no block",
    [
      { type: "text", text: "<sql>1</sql>" },
      { type: "finish", finishReason: "stop" },
    ],
  ],
  ["nothing for a fragment", [null, { type: "finish", finishReason: "stop" }]],
  [
    "a block without a block",
    [
      { type: "block", index: 0 },
      { type: "finish", finishReason: "stop" },
    ],
  ],
  ["no stream", undefined],
])("a model that gives %s is told from others with text tools too (TOOL-18)", async (_, deltas) => {
  const { model } = scriptedAgent({ script: [] });
  const stream = async function* () {
    yield* deltas as ModelDelta[];
  };
  const broken = { ...model, stream: () => (deltas === undefined ? (undefined as never) : stream()) };
  const agent = createAgent({ name: "t", model: broken, tools: [sql()], policies: { retry: { maxAttempts: 1 } } });
  await expect(agent.invoke("Go.")).rejects.toMatchObject({ code: "corrupt_data" });
});

test("an agent without text tools asks its models as they are", () => {
  const { agent, model } = scriptedAgent({ tools: [fakeTool({ name: "t" })], script: ["done"] });
  expect(model.requests).toEqual([]);
  return agent.invoke("Go.").then(() => {
    expect(model.requests[0]?.tools?.map(({ name }) => name)).toEqual([call("t").name]);
  });
});
