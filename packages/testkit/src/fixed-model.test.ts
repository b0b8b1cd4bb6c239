import { collect, type ModelCallContext, type ModelDelta, resolvedModel, userMessage } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { fakeChatModel, scriptedModel, streamingModel, toArray } from "./index.js";

const request = { messages: [userMessage("hello")] };
const PIECES: ModelCallContext = { signal: undefined, delivery: "incremental" };
const WHOLE: ModelCallContext = { signal: undefined, delivery: "whole" };

describe("a fake chat model (TST-01)", () => {
  test("gives the same answer each time and records what it was asked", async () => {
    const model = fakeChatModel("yes");
    const first = await collect(model.stream(request, PIECES), resolvedModel(model));
    const second = await collect(model.stream(request, WHOLE), resolvedModel(model));
    expect(first.message.content).toEqual([{ type: "text", text: "yes" }]);
    expect(second).toEqual(first);
    expect(model.requests).toEqual([request, request]);
  });

  test("gives a response that was had elsewhere", async () => {
    const source = scriptedModel([
      { reasoning: "r", toolCalls: [{ name: "a", args: { x: 1 } }], usage: { inputTokens: 1 } },
    ]);
    const response = await collect(source.stream(request, PIECES), resolvedModel(source));
    const model = fakeChatModel(response, { id: "test/scripted" });
    expect(await collect(model.stream(request, PIECES), resolvedModel(model))).toEqual(response);
  });

  test("checks every request it expects something of", async () => {
    const model = fakeChatModel({ text: "x", expect: { toolNames: ["search"] } });
    await expect(toArray(model.stream(request, PIECES))).rejects.toThrow('toolNames: expected ["search"], found []');
  });
});

describe("a streaming model (TST-03)", () => {
  const answer = {
    reasoning: "thinking",
    text: "漢字 and 👩‍🚀",
    toolCalls: [
      { name: "a", args: { q: "é" } },
      { name: "none", rawArgs: "" },
    ],
  } as const;

  const texts = (deltas: readonly ModelDelta[], type: "text" | "reasoning"): readonly string[] =>
    deltas.flatMap((delta) => (delta.type === type ? [delta.text] : []));

  test("streams after each character unless told otherwise", async () => {
    const deltas = await toArray(streamingModel(answer).stream(request, PIECES));
    expect(texts(deltas, "text")).toEqual([..."漢字 and 👩‍🚀"]);
    expect(deltas.flatMap((delta) => (delta.type === "tool_call_args" ? [delta.args] : []))).toEqual([...'{"q":"é"}']);
  });

  test("cuts at chosen sizes, with the rest in one piece", async () => {
    const deltas = await toArray(streamingModel({ ...answer, split: [1, 3] }).stream(request, PIECES));
    expect(texts(deltas, "reasoning")).toEqual(["t", "hin", "king"]);
  });

  test("cuts by chance in the same way for the same seed", async () => {
    const read = (seed: number) => toArray(streamingModel({ ...answer, split: { seed } }).stream(request, PIECES));
    expect(await read(1)).toEqual(await read(1));
    expect(await read(1)).not.toEqual(await read(2));
  });

  test("adds up to the same however it is cut, and when it comes whole", async () => {
    const sums = await Promise.all(
      (["characters", [2, 5], { seed: 3 }, { seed: 4, longest: 2 }] as const).flatMap((split) => {
        const model = streamingModel({ ...answer, split });
        return [PIECES, WHOLE].map((call) => collect(model.stream(request, call), resolvedModel(model)));
      }),
    );
    for (const sum of sums) expect(sum).toEqual(sums[0]);
    expect(sums[0]?.message.content).toEqual([
      { type: "reasoning", text: answer.reasoning },
      { type: "text", text: answer.text },
      { type: "tool_call", id: "call_1", name: "a", args: { q: "é" } },
      { type: "tool_call", id: "call_2", name: "none", args: {} },
    ]);
  });

  test("refuses sizes that are no whole numbers from 1", async () => {
    await expect(toArray(streamingModel({ text: "abc", split: [0] }).stream(request, PIECES))).rejects.toThrow(
      "sizes are whole numbers from 1",
    );
  });
});
