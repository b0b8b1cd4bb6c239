import {
  abortError,
  type ChatModel,
  collect,
  type Message,
  type ModelCallContext,
  type ModelRequest,
  manualClock,
  resolvedModel,
  TinyAgentsError,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { scriptedModel, toArray } from "./index.js";

const WHOLE: ModelCallContext = { signal: undefined, delivery: "whole" };
const PIECES: ModelCallContext = { signal: undefined, delivery: "incremental" };
const hello: ModelRequest = { messages: [userMessage("hello")] };

function ask(model: ChatModel, request: ModelRequest = hello, call: ModelCallContext = PIECES) {
  return collect(model.stream(request, call), resolvedModel(model));
}

const offline = new TinyAgentsError("network", "no route", { details: {} });

describe("a scripted model (TST-02)", () => {
  test("plays texts, tool calls and failures in order", async () => {
    const model = scriptedModel(["one", { toolCalls: [{ name: "search", args: { q: "x" } }] }, { error: offline }]);
    expect((await ask(model)).message.content).toEqual([{ type: "text", text: "one" }]);
    const second = await ask(model);
    expect(second.finishReason).toBe("tool_calls");
    expect(toolCalls(second.message)).toEqual([{ type: "tool_call", id: "call_1", name: "search", args: { q: "x" } }]);
    await expect(ask(model)).rejects.toBe(offline);
    model.assertDone();
  });

  test("fails when the script has ended, with the number of entries and the request", async () => {
    const model = scriptedModel(["only"]);
    await ask(model);
    await expect(ask(model)).rejects.toThrow(/The script has 1 entry, and call 2 was made\.\n {2}user: hello/);
    expect(() => model.assertDone()).toThrow(/call 2 was made/);
  });

  test("names the entries that were left", async () => {
    const model = scriptedModel(["one", { toolCalls: [{ name: "search" }] }, { error: offline }, { refusal: "no" }]);
    await ask(model);
    expect(model.remaining).toBe(3);
    expect(() => model.assertDone()).toThrow(
      "The script has 4 entries, and 1 were played. Left:\n  2: calls of search\n  3: error network\n  4: a refusal",
    );
  });

  test("does nothing before its stream is read", async () => {
    const model = scriptedModel(["one"]);
    model.stream(hello, PIECES);
    expect(model.remaining).toBe(1);
    expect(model.requests).toEqual([]);
  });

  test("keeps a copy of each request's messages", async () => {
    const model = scriptedModel(["one"]);
    const messages: Message[] = [userMessage("hello")];
    await ask(model, { messages });
    messages.push(userMessage("later"));
    expect(model.requests).toEqual([hello]);
  });

  test("streams blocks in pieces and whole with the same sum", async () => {
    const entry = {
      reasoning: "think",
      text: "answer",
      toolCalls: [
        { name: "a", args: { deep: [1, "é"] } },
        { name: "b", rawArgs: '{"cut' },
      ],
      usage: { inputTokens: 3, outputTokens: 4 },
    };
    const model = scriptedModel([entry, entry], { split: "characters" });
    const pieces = await ask(model);
    const whole = await ask(model, hello, WHOLE);
    expect(whole).toEqual(pieces);
    expect(pieces.usage).toEqual({ source: "reported", inputTokens: 3, outputTokens: 4 });
    expect(toolCalls(pieces.message)[1]?.invalid?.raw).toBe('{"cut');
  });

  test("counts call ids on from the history, so that a fresh model gives the same", async () => {
    const asks = { toolCalls: [{ name: "a" }, { name: "b" }] };
    const first = await ask(scriptedModel([asks]));
    const history: Message[] = [
      userMessage("hello"),
      first.message,
      ...toolCalls(first.message).map((call) => toolMessage(call, "done")),
    ];
    const second = await ask(scriptedModel([asks]), { messages: history });
    expect(toolCalls(second.message).map(({ id }) => id)).toEqual(["call_3", "call_4"]);
  });

  test("gives a refusal its own finish reason", async () => {
    const response = await ask(scriptedModel([{ refusal: "I will not." }]));
    expect(response.finishReason).toBe("refusal");
    expect(response.message.content).toEqual([{ type: "refusal", text: "I will not." }]);
  });

  test("plays given deltas exactly, so a stream can be cut short", async () => {
    const deltas = [{ type: "text", index: 7, text: "par" }] as const;
    const model = scriptedModel([{ deltas }, { deltas, error: offline }]);
    await expect(ask(model)).rejects.toMatchObject({ code: "network", details: { partialText: "par" } });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const delta of model.stream(hello, PIECES)) seen.push(delta);
    })();
    await expect(reading).rejects.toBe(offline);
    expect(seen).toEqual(deltas);
  });

  test("says what it has said before it fails", async () => {
    const model = scriptedModel([{ text: "half", error: offline }]);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const delta of model.stream(hello, PIECES)) seen.push(delta);
    })();
    await expect(reading).rejects.toBe(offline);
    expect(seen).toEqual([{ type: "text", index: 0, text: "half" }]);
  });

  test("decides an entry by a function of the request", async () => {
    const model = scriptedModel([({ messages }, { delivery }) => `${messages.length} ${delivery}`]);
    expect((await ask(model)).message.content).toEqual([{ type: "text", text: "1 incremental" }]);
  });

  test("remembers that a request was not as expected, whatever became of the error", async () => {
    const model = scriptedModel([{ text: "x", expect: { lastUserText: "goodbye" } }]);
    await expect(ask(model)).rejects.toThrow(
      /The request for script entry 1 of 1 is not as expected\. lastUserText: expected "goodbye", found "hello"/,
    );
    expect(() => model.assertDone()).toThrow(/lastUserText/);
  });

  test.each([
    [{ deltas: [], text: "x" }, /script entry 1 of 1: "deltas" is the whole answer, "text" cannot stand beside it/],
    [{ toolCalls: [{ name: "a", args: {}, rawArgs: "" }] }, /toolCalls\[0\]: a call has "args" or "rawArgs", not both/],
    [{ error: offline, hang: true }, /ends with "error" or "hang"/],
  ])("refuses an entry that contradicts itself: %j", (entry, message) => {
    expect(() => scriptedModel([entry])).toThrow(message);
  });

  test("refuses an id that names no provider", () => {
    expect(() => scriptedModel([], { id: "model" })).toThrow('expected "provider/model", found "model"');
    expect(scriptedModel([], { id: "acme/m/1" }).profile).toMatchObject({ provider: "acme", model: "m/1" });
  });

  test("takes profile overrides and a default usage", async () => {
    const model = scriptedModel(["a", { text: "b", usage: { inputTokens: 9 } }], {
      profile: { capabilities: { tools: "no" } },
      usage: { inputTokens: 1, outputTokens: 2 },
    });
    expect(model.profile.capabilities).toEqual({ tools: "no" });
    expect((await ask(model)).usage).toEqual({ source: "reported", inputTokens: 1, outputTokens: 2 });
    expect((await ask(model)).usage).toEqual({ source: "reported", inputTokens: 9 });
  });
});

describe("a scripted model that waits", () => {
  test("holds the answer until its gate opens", async () => {
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const model = scriptedModel([{ text: "late", gate }]);
    let answered = false;
    const answer = ask(model).then(() => {
      answered = true;
    });
    await model.called();
    await manualClock().advance(0);
    expect(answered).toBe(false);
    open();
    await answer;
  });

  test("holds each answer for its delay on the given clock", async () => {
    const clock = manualClock();
    const model = scriptedModel(["a", { text: "b", delayMs: 5 }], { clock, delayMs: 100 });
    const first = ask(model);
    await clock.advance(99);
    expect(model.calls[0]?.state).toBe("running");
    await clock.advance(1);
    await first;
    const second = ask(model);
    await clock.advance(5);
    expect((await second).message.content).toEqual([{ type: "text", text: "b" }]);
  });

  test("fails as its gate fails", async () => {
    const failure = new Error("no gate");
    await expect(ask(scriptedModel([{ text: "x", gate: Promise.reject(failure) }]))).rejects.toBe(failure);
  });

  test("refuses a delay without a clock", async () => {
    await expect(ask(scriptedModel([{ text: "x", delayMs: 1 }]))).rejects.toThrow("needs a clock");
  });

  test.each([
    ["at its gate", { text: "x", gate: new Promise(() => {}) }, {}],
    ["in its delay", { text: "x", delayMs: 50 }, { clock: manualClock() }],
    ["in silence", { text: "x", hang: true }, {}],
  ])("ends as cancelled when the signal aborts %s", async (_, entry, options) => {
    const controller = new AbortController();
    const model = scriptedModel([entry], options);
    const answer = ask(model, hello, { ...PIECES, signal: controller.signal });
    await model.called();
    controller.abort("enough");
    await expect(answer).rejects.toEqual(abortError("enough"));
    expect(model.calls[0]?.state).toBe("failed");
  });

  test("answers nothing to a signal that has aborted before, or between two deltas", async () => {
    const controller = new AbortController();
    const model = scriptedModel([{ text: "abc" }, "x"], { split: "characters" });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const delta of model.stream(hello, { ...PIECES, signal: controller.signal })) {
        seen.push(delta);
        controller.abort();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "cancelled" });
    expect(seen).toHaveLength(1);
    await expect(ask(model, hello, { ...PIECES, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(model.remaining).toBe(1);
  });

  test("records how each call ended", async () => {
    const model = scriptedModel(["abc", "abc", { error: offline }], { split: "characters" });
    await toArray(model.stream(hello, { ...PIECES, callId: "call-1", runId: "run-1" }));
    for await (const _ of model.stream(hello, PIECES)) break;
    await expect(toArray(model.stream(hello, WHOLE))).rejects.toBe(offline);
    expect(model.calls.map(({ state }) => state)).toEqual(["finished", "abandoned", "failed"]);
    expect(model.calls[0]).toMatchObject({ callId: "call-1", runId: "run-1", delivery: "incremental" });
  });
});
