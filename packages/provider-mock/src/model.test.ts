import {
  collect,
  type ModelCallContext,
  type ModelDelta,
  type ModelRequest,
  manualClock,
  resolvedModel,
  userMessage,
} from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { declare } from "../test/drive.js";
import { mockModel } from "./model.js";

const weather = declare("get_weather", "Current weather in a city.", { city: { type: "string" } });
const ask = (question: string): ModelRequest => ({ messages: [userMessage(question)] });
const called = (over: Partial<ModelCallContext> = {}): ModelCallContext => ({
  signal: undefined,
  delivery: "incremental",
  ...over,
});

async function deltasOf(request: ModelRequest, call = called()): Promise<readonly ModelDelta[]> {
  const deltas: ModelDelta[] = [];
  for await (const delta of mockModel().stream(request, call)) deltas.push(delta);
  return deltas;
}

function respond(request: ModelRequest, call = called()) {
  const model = mockModel();
  return collect(model.stream(request, call), resolvedModel(model));
}

describe("mockModel", () => {
  it("streams its answer word by word and ends with usage and a finish", async () => {
    const deltas = await deltasOf(ask("2 + 2"));
    expect(deltas.map(({ type }) => type)).toEqual([
      "start",
      "text",
      "text",
      "text",
      "text",
      "text",
      "usage",
      "finish",
    ]);
    expect(deltas.flatMap((each) => (each.type === "text" ? [each.text] : []))).toEqual(["2", " +", " 2", " =", " 4."]);
  });

  it("answers the same whole as word by word, text and tool calls alike", async () => {
    for (const request of [
      ask("2 + 2"),
      ask("Who are you?"),
      { ...ask("What's the weather in Oslo and Rome?"), tools: [weather] },
    ]) {
      expect(await respond(request, called({ delivery: "whole" }))).toEqual(await respond(request));
    }
  });

  it("answers the same every time", async () => {
    const request = { ...ask("Is it raining in Oslo?"), tools: [weather] };
    expect(await deltasOf(request)).toEqual(await deltasOf(request));
  });

  it("reports tokens as its own estimate", async () => {
    const { usage } = await respond(ask("2 + 2"));
    expect(usage).toEqual({ inputTokens: 6, outputTokens: 3, source: "estimated" });
  });

  it("counts a message that comes again as it did the first time", async () => {
    const model = mockModel();
    const request = { ...ask("2 + 2"), tools: [weather] };
    const first = await collect(model.stream(request, called()), resolvedModel(model));
    const again = await collect(model.stream(request, called()), resolvedModel(model));
    expect(again.usage).toEqual(first.usage);
    expect(first.usage?.inputTokens).toBeGreaterThan(20);
  });

  it("gives calls of one history different ids", async () => {
    const request = { ...ask("What's the weather in Oslo and Rome?"), tools: [weather] };
    const first = (await respond(request)).message;
    const second = (await respond({ ...request, messages: [...request.messages, first, userMessage("And in Rome?")] }))
      .message;
    const ids = [first, second].flatMap(({ content }) =>
      content.flatMap((each) => (each.type === "tool_call" ? [each.id] : [])),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it("pauses before each word, on the clock that it is given", async () => {
    const clock = manualClock();
    const model = mockModel({ delayMs: 20, clock });
    const texts: string[] = [];
    const reading = (async () => {
      for await (const delta of model.stream(ask("2 + 2"), called())) if (delta.type === "text") texts.push(delta.text);
    })();
    await clock.advance(59);
    expect(texts).toEqual(["2", " +"]);
    await clock.advance(41);
    await reading;
    expect(texts).toHaveLength(5);
  });

  it("stops between two words when it is cancelled", async () => {
    const controller = new AbortController();
    const texts: string[] = [];
    const reading = (async () => {
      for await (const delta of mockModel().stream(ask("2 + 2"), called({ signal: controller.signal }))) {
        if (delta.type === "text") texts.push(delta.text);
        if (texts.length === 2) controller.abort("enough");
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    expect(texts).toHaveLength(2);
  });

  it("stops in the middle of a pause when it is cancelled, and leaves no timer", async () => {
    const clock = manualClock();
    const controller = new AbortController();
    const model = mockModel({ delayMs: 1_000, clock });
    const reading = collect(model.stream(ask("2 + 2"), called({ signal: controller.signal })), resolvedModel(model));
    const outcome = expect(reading).rejects.toMatchObject({ code: "cancelled" });
    await clock.advance(500);
    controller.abort();
    await outcome;
    expect(clock.timers).toBe(0);
  });

  it("does nothing for a call that was cancelled before", async () => {
    await expect(respond(ask("2 + 2"), called({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  it("ends at a stop sequence, and when its tokens are used up", async () => {
    expect(await respond({ ...ask("2 + 2"), stopSequences: ["", "never", " ="] })).toMatchObject({
      finishReason: "stop",
      message: { content: [{ text: "2 + 2" }] },
    });
    expect(await respond({ ...ask("2 + 2"), maxOutputTokens: 1 })).toMatchObject({
      finishReason: "length",
      message: { content: [{ text: "2 +" }] },
    });
  });

  it("says which settings mean nothing to it", async () => {
    const { warnings } = await respond({ ...ask("2 + 2"), temperature: 1, seed: 7 });
    expect(warnings.map(({ setting }) => setting)).toEqual(["temperature", "seed"]);
  });

  it("refuses what it lacks", async () => {
    await expect(respond({ ...ask("2 + 2"), requires: ["reasoning"] })).rejects.toMatchObject({
      code: "capability_missing",
      details: { capabilities: ["reasoning"] },
    });
    const image = userMessage([{ type: "image", source: { type: "url", url: "https://example.org/a.png" } }]);
    await expect(respond({ messages: [image] })).rejects.toMatchObject({ details: { capabilities: ["image_input"] } });
  });

  it("asks the application's rules first, and its own for what they leave", async () => {
    const model = mockModel({
      rules: [
        ({ messages }) => (messages.length > 1 ? { type: "answer", text: "Enough." } : undefined),
        ({ tools = [] }) =>
          tools.length === 0
            ? undefined
            : { type: "calls", text: "Let me look.", calls: [{ id: "mine", name: "get_weather", args: {} }] },
      ],
    });
    const reply = async (request: ModelRequest) =>
      (await collect(model.stream(request, called()), resolvedModel(model))).message;
    expect((await reply(ask("2 + 2"))).content).toEqual([{ type: "text", text: "2 + 2 = 4." }]);
    expect((await reply({ messages: [userMessage("a"), userMessage("b")] })).content).toEqual([
      { type: "text", text: "Enough." },
    ]);
    expect((await reply({ ...ask("2 + 2"), tools: [weather] })).content).toEqual([
      { type: "text", text: "Let me look." },
      { type: "tool_call", id: "mine", name: "get_weather", args: {} },
    ]);
  });

  it("refuses a pause that is no time", () => {
    for (const delayMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => mockModel({ delayMs })).toThrow(TypeError);
    }
  });
});
