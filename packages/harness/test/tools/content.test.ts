import { type Block, content, type ToolMessage, toolText } from "@tinyagents/core";
import { fakeTool } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

/** The result message of a tool that does this. */
async function resultOf(execute: () => unknown): Promise<ToolMessage> {
  const tool = fakeTool({ name: "t", execute });
  return resultsOf(await scriptedAgent({ tools: [tool], script: [calls("t"), "done"] }).run())[0] as ToolMessage;
}

const IMAGE: Block = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AA==" } };

describe("blocks that a tool gives", () => {
  test("stand in the history as they are, with their summary (TOOL-11)", async () => {
    const given: readonly Block[] = [
      { type: "text", text: "a" },
      { type: "json", value: { b: [1] } },
      IMAGE,
      { type: "file", source: { type: "url", url: "https://example.org/x.pdf" }, name: "x.pdf" },
      { type: "provider", provider: "acme", value: null, providerMetadata: { acme: { id: "1" } } },
    ];
    expect(await resultOf(() => content(given, { summary: "five blocks" }))).toMatchObject({
      status: "ok",
      content: given,
      summary: "five blocks",
    });
  });

  test.each<[string, unknown, string]>([
    ["no block", null, "content[1]: an object is expected, null found"],
    ["a text", "hello", "content[1]: an object is expected"],
    ["a block of no known type", { type: "smell" }, 'content[1].type: "smell" is none of'],
    ["a block without a type", { text: "x" }, "content[1].type"],
    ["a text block without a text", { type: "text" }, "content[1].text: a string is expected, nothing found"],
    ["a text block with another text", { type: "text", text: 7 }, "content[1].text: a string is expected"],
    ["a value block without a value", { type: "json", value: undefined }, "content[1].value"],
    ["an image from nowhere", { type: "image", source: {} }, "content[1].source.type"],
    ["metadata that is no object", { ...IMAGE, providerMetadata: { acme: 1 } }, "content[1].providerMetadata.acme"],
    ["what is no JSON", { type: "json", value: { when: new Map() } }, "content[1].value.when: a value of the kind Map"],
    [
      "bytes where base64 is due",
      { type: "image", source: { type: "base64", mediaType: "image/png", data: new Uint8Array(2) } },
      "content[1].source.data",
    ],
    [
      "a call",
      { type: "tool_call", id: "x", name: "t", args: {} },
      'content[1].type: a tool cannot give blocks of the type "tool_call"',
    ],
    ["a result", { type: "tool_result", callId: "x", content: [], isError: false }, 'blocks of the type "tool_result"'],
  ])("fail the call when there is %s among them, and the model is told where", async (_, block, reason) => {
    const result = await resultOf(() => content([{ type: "text", text: "a" }, block as Block]));
    expect(result).toMatchObject({ isError: true, status: "failed" });
    expect(toolText(result)).toContain(reason);
    expect(toolText(result)).toContain("The tool t returned");
  });

  test.each<[string, unknown[]]>([
    ["content", [undefined]],
    ["content", [{ type: "text", text: "x" }]],
    ["content: summary", ["x", { summary: 7 }]],
  ])("are a list, and a summary is a text: %s", async (place, given) => {
    const result = await resultOf(() => content(...(given as Parameters<typeof content>)));
    expect(result.status).toBe("failed");
    expect(toolText(result)).toContain(`${place}: `);
  });

  test("are checked in outcomes of another copy of the package too", async () => {
    const foreign = (fields: object): object =>
      Object.defineProperty({ ...fields }, Symbol.for("@tinyagents/tool-outcome"), { value: true });
    const blocks = [{ type: "text", text: "x" }];
    expect((await resultOf(() => foreign({ type: "content", content: blocks, isError: false }))).content).toEqual(
      blocks,
    );
    const wrong = [
      { type: "content", content: "x", isError: false },
      { type: "content", isError: false },
      { type: "content", content: blocks, isError: false, summary: {} },
    ];
    for (const fields of wrong) expect((await resultOf(() => foreign(fields))).status).toBe("failed");
    const odd = await resultOf(() => foreign({ type: "goto", to: "x" }));
    expect(odd).toMatchObject({ status: "ok", content: [{ type: "json", value: { type: "goto", to: "x" } }] });
  });

  test("are copied: what the tool does with them later changes nothing", async () => {
    const value = { n: 1 };
    const kept: Block[] = [{ type: "json", value }];
    const { run } = scriptedAgent({
      tools: [fakeTool({ name: "t", execute: () => content(kept) })],
      script: [
        calls("t"),
        () => {
          value.n = 99;
          kept.push({ type: "text", text: "more" });
          return "done";
        },
      ],
    });
    expect(resultsOf(await run())[0]?.content).toEqual([{ type: "json", value: { n: 1 } }]);
  });

  test("that fail a call leave the calls beside it alone (AL-05)", async () => {
    const bad = fakeTool({ name: "bad", execute: () => content([null as never]) });
    const good = fakeTool({ name: "good", result: "fine" });
    const { run } = scriptedAgent({ tools: [bad, good], script: [calls("bad", call("good")), "done"] });
    const finished = await run();
    expect(finished.text).toBe("done");
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["failed", "ok"]);
  });
});
