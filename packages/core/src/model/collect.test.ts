import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { model, streamOf, thrownBy } from "../../test/support.js";
import { isTinyAgentsError } from "../errors.js";
import { collect, ResponseCollector } from "./collect.js";
import type { ModelDelta } from "./delta.js";
import { toolCallBlock } from "./growing-block.js";

const finish: ModelDelta = { type: "finish", finishReason: "stop" };
const start = (index: number, id: string, name = "add"): ModelDelta => ({ type: "tool_call_start", index, id, name });
const args = (index: number, text: string): ModelDelta => ({ type: "tool_call_args", index, args: text });

async function contentOf(...deltas: readonly ModelDelta[]) {
  return (await collect(streamOf(...deltas, finish), model)).message.content;
}

/** What a model says, before anybody cuts it into deltas. */
type Said =
  | { readonly kind: "text" | "reasoning" | "refusal"; readonly text: string }
  | { readonly kind: "tool_call"; readonly id: string; readonly text: string };

const said: fc.Arbitrary<Said> = fc.oneof(
  fc.record({
    kind: fc.constantFrom("text" as const, "reasoning" as const, "refusal" as const),
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }),
  }),
  fc.record({
    kind: fc.constant("tool_call" as const),
    id: fc.uuid(),
    text: fc.oneof(
      fc.object().map((value) => JSON.stringify(value)),
      fc.string(),
    ),
  }),
);

/** The deltas of one block, its text cut where `cuts` says. */
function deltasOf(block: Said, index: number, cuts: readonly number[]): ModelDelta[] {
  const at = [...new Set(cuts.map((cut) => cut % (block.text.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...at, block.text.length];
  const pieces = edges.slice(1).map((end, i) => block.text.slice(edges[i], end));
  if (block.kind !== "tool_call") return pieces.map((text) => ({ type: block.kind, index, text }));
  return [start(index, block.id), ...pieces.map((text) => args(index, text)), { type: "tool_call_end", index }];
}

/** Joins lists in the order that `picks` says, each list's own order kept. First deltas keep the order of the lists. */
function interleave(lists: readonly ModelDelta[][], picks: readonly number[]): ModelDelta[] {
  const rest = lists.map((list) => list.slice(1));
  const joined = lists.map((list) => list[0] as ModelDelta);
  for (const pick of picks) {
    const next = rest[pick % Math.max(1, rest.length)]?.shift();
    if (next !== undefined) joined.push(next);
  }
  return joined.concat(...rest);
}

describe("adding deltas up", () => {
  test("gives the same message however the output is cut (MSG-10)", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(said, { maxLength: 5 }),
        fc.array(fc.array(fc.nat(), { maxLength: 6 }), { minLength: 5, maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 40 }),
        async (blocks, cuts, picks) => {
          const whole = blocks.flatMap((block, index) => deltasOf(block, index, []));
          const lists = blocks.map((block, index) => deltasOf(block, index, cuts[index] ?? []));
          const expected = await collect(streamOf(...whole, finish), model);
          expect(await collect(streamOf(...lists.flat(), finish), model)).toEqual(expected);
          expect(await collect(streamOf(...interleave(lists, picks), finish), model)).toEqual(expected);
        },
      ),
      { numRuns: 200 },
    ));

  test("keeps interleaved tool calls apart by their index (MSG-10)", async () => {
    const content = await contentOf(
      start(5, "c5"),
      start(1, "c1", "sub"),
      args(5, '{"a"'),
      args(1, '{"b":'),
      args(5, ":1}"),
      args(1, "2}"),
    );
    expect(content).toEqual([
      { type: "tool_call", id: "c5", name: "add", args: { a: 1 } },
      { type: "tool_call", id: "c1", name: "sub", args: { b: 2 } },
    ]);
  });

  test("takes calls that share an index for as many calls as have begun (PA-01)", async () => {
    const content = await contentOf(start(0, "one"), args(0, '{"a":1}'), start(0, "two"), args(0, '{"a":2}'));
    expect(content).toEqual([toolCallBlock("one", "add", '{"a":1}'), toolCallBlock("two", "add", '{"a":2}')]);
  });

  test("keeps the order in which blocks first appear, not the order of their numbers (PA-01)", async () => {
    const content = await contentOf(
      { type: "text", index: 9, text: "a" },
      { type: "reasoning", index: 3, text: "b" },
      { type: "text", index: 9, text: "c" },
    );
    expect(content).toEqual([
      { type: "text", text: "ac" },
      { type: "reasoning", text: "b" },
    ]);
  });

  test("opens a block of its own for another kind of text under the same index", async () => {
    expect(await contentOf({ type: "reasoning", index: 0, text: "r" }, { type: "text", index: 0, text: "t" })).toEqual([
      { type: "reasoning", text: "r" },
      { type: "text", text: "t" },
    ]);
  });

  test("goes on after arguments that could already be parsed (PA-02)", async () => {
    expect(await contentOf(start(0, "c"), args(0, "{}"), args(0, " "))).toMatchObject([{ args: {} }]);
    const [call] = await contentOf(start(0, "c"), args(0, '{"n":1}'), args(0, '{"n":2}'));
    expect(call).toMatchObject({ args: {}, invalid: { raw: '{"n":1}{"n":2}' } });
  });

  test("refuses arguments for a call that never began", async () => {
    const error = await thrownBy(() => contentOf({ type: "text", index: 0, text: "x" }, args(0, "{}")));
    expect(error).toMatchObject({ code: "corrupt_data", details: { place: "the stream of mock/one, delta 2" } });
    expect(String(error)).toContain("block 0");
  });

  test("takes whole blocks as they are (MSG-08)", async () => {
    const block = { type: "provider", provider: "mock", value: { any: [1] } } as const;
    expect(await contentOf({ type: "block", index: 2, block })).toEqual([block]);
    const content = await contentOf(
      { type: "block", index: 2, block: { ...block, providerMetadata: { mock: { a: 1, b: 1 } } } },
      { type: "provider", index: 2, providerMetadata: { mock: { b: 2 } } },
    );
    expect(content).toEqual([{ ...block, providerMetadata: { mock: { a: 1, b: 2 } } }]);
  });

  test("keeps a refusal as a refusal (PA-10)", async () => {
    expect(
      await contentOf({ type: "refusal", index: 0, text: "I " }, { type: "refusal", index: 0, text: "won't" }),
    ).toEqual([{ type: "refusal", text: "I won't" }]);
  });
});

describe("what a provider attaches", () => {
  test("alone, after the text, goes with the block that has the text (PA-07)", async () => {
    const content = await contentOf(
      { type: "reasoning", index: 0, text: "so" },
      { type: "text", index: 1, text: "x" },
      { type: "reasoning", index: 0, text: " it is" },
      { type: "provider", index: 0, providerMetadata: { mock: { signature: "s" } } },
    );
    expect(content[0]).toEqual({ type: "reasoning", text: "so it is", providerMetadata: { mock: { signature: "s" } } });
  });

  test("without any text is a block of reasoning without text", async () => {
    expect(await contentOf({ type: "provider", index: 0, providerMetadata: { mock: { encrypted: "e" } } })).toEqual([
      { type: "reasoning", text: "", providerMetadata: { mock: { encrypted: "e" } } },
    ]);
  });

  test("adds up by provider, later keys winning, on blocks and on the message", async () => {
    const first = { mock: { a: 1, b: 1 }, other: { x: 1 } };
    const second = { mock: { b: 2 } };
    const merged = { mock: { a: 1, b: 2 }, other: { x: 1 } };
    const { message } = await collect(
      streamOf<ModelDelta>(
        { type: "text", index: 0, text: "t" },
        { type: "provider", index: 0, providerMetadata: first },
        { type: "provider", index: 0, providerMetadata: second },
        { type: "provider", providerMetadata: first },
        { type: "provider", providerMetadata: second },
        finish,
      ),
      model,
    );
    expect(message.content[0]?.providerMetadata).toEqual(merged);
    expect(message.providerMetadata).toEqual(merged);
    expect(first).toEqual({ mock: { a: 1, b: 1 }, other: { x: 1 } });
  });
});

describe("arguments of a tool call", () => {
  test.each([[""], [" \n\t "]])("that are nothing but white space are no arguments (PA-03): %j", (text) => {
    expect(toolCallBlock("c", "now", text)).toEqual({ type: "tool_call", id: "c", name: "now", args: {} });
  });

  test("that never came are no arguments (PA-03)", async () => {
    expect(await contentOf(start(0, "c", "now"), { type: "tool_call_end", index: 0 })).toEqual([
      { type: "tool_call", id: "c", name: "now", args: {} },
    ]);
  });

  test.each([
    ['{"a":', /JSON/],
    ["[1]", /no object/],
    ["null", /no object/],
    ['"text"', /no object/],
    ['{"__proto__":{}}', /__proto__/],
  ])(
    "that are no JSON object are kept whole, and are empty for whoever reads them (PA-04, MSG-05): %s",
    (raw, reason) => {
      const block = toolCallBlock("c", "add", raw);
      expect(block).toMatchObject({ args: {}, invalid: { raw, reason: expect.stringMatching(reason) } });
    },
  );
});

describe("a finished response", () => {
  test("has what the stream said of itself (MSG-03, MSG-07)", async () => {
    const warnings = [{ code: "provider", message: "w" }] as const;
    const response = await collect(
      streamOf<ModelDelta>(
        { type: "start", model: "one-2024", responseId: "r0" },
        { type: "text", index: 0, text: "hi" },
        { type: "usage", usage: { inputTokens: 1, source: "reported" } },
        { type: "usage", usage: { inputTokens: 3, outputTokens: 2, source: "reported" } },
        {
          type: "finish",
          finishReason: "other",
          rawFinishReason: "odd",
          responseId: "r1",
          warnings,
          providerData: { tier: "x" },
        },
      ),
      model,
    );
    const usage = { inputTokens: 3, outputTokens: 2, source: "reported" };
    const exact = { id: "mock/one", provider: "mock", model: "one-2024" };
    expect(response).toEqual({
      message: {
        role: "assistant",
        content: [{ type: "text", text: "hi" }],
        finishReason: "other",
        model: exact,
        usage,
        responseId: "r1",
      },
      finishReason: "other",
      rawFinishReason: "odd",
      model: exact,
      responseId: "r1",
      usage,
      attempts: 1,
      warnings,
      providerData: { tier: "x" },
    });
  });

  test("says nothing that the stream did not say", async () => {
    const response = await collect(streamOf(finish), model);
    expect(response).toStrictEqual({
      message: { role: "assistant", content: [], finishReason: "stop", model },
      finishReason: "stop",
      model,
      attempts: 1,
      warnings: [],
    });
    expect(response.model).toBe(model);
  });

  test("prefers the model that the finish names, and is of the asked one when that is the same", async () => {
    const named = await collect(
      streamOf<ModelDelta>({ type: "start", model: "a" }, { type: "start" }, { ...finish, model: "b" }),
      model,
    );
    expect(named.model.model).toBe("b");
    const started = await collect(
      streamOf<ModelDelta>({ type: "start", model: "a" }, { type: "start" }, finish),
      model,
    );
    expect(started.model).toEqual({ ...model, model: "a" });
    expect((await collect(streamOf<ModelDelta>({ ...finish, model: "one" }), model)).model).toBe(model);
  });

  test("keeps a vendor's own reason (PA-11)", async () => {
    const response = await collect(streamOf({ ...finish, finishReason: "other", rawFinishReason: "eos" }), model);
    expect([response.finishReason, response.rawFinishReason]).toEqual(["other", "eos"]);
  });
});

describe("a stream that is cut short", () => {
  test("is a failure that can be repeated and has the partial text (PA-11)", async () => {
    const cut = streamOf<ModelDelta>(
      { type: "text", index: 0, text: "half a " },
      { type: "reasoning", index: 1, text: "hidden" },
      { type: "text", index: 2, text: "sentence" },
    );
    const error = await thrownBy(() => collect(cut, model));
    expect(error).toMatchObject({
      code: "network",
      retryable: true,
      details: { provider: "mock", reason: "stream_cut_short", partialText: "half a sentence" },
    });
  });

  test("is one even when usage had come", async () => {
    const usage: ModelDelta = { type: "usage", usage: { outputTokens: 1, source: "reported" } };
    expect(isTinyAgentsError(await thrownBy(() => collect(streamOf(usage), model)), "network")).toBe(true);
  });

  test("throws what the stream throws", async () => {
    const failure = new Error("reset");
    async function* broken(): AsyncGenerator<ModelDelta> {
      yield { type: "text", index: 0, text: "x" };
      throw failure;
    }
    expect(await thrownBy(() => collect(broken(), model))).toBe(failure);
  });
});

describe("a restart", () => {
  const usage = (outputTokens: number): ModelDelta => ({ type: "usage", usage: { outputTokens, source: "reported" } });

  test("drops all that the abandoned attempt had shown (MW-07)", async () => {
    const response = await collect(
      streamOf<ModelDelta>(
        { type: "start", model: "old", responseId: "r-old" },
        { type: "text", index: 0, text: "stale" },
        start(1, "stale"),
        { type: "provider", providerMetadata: { mock: { stale: true } } },
        finish,
        { type: "restart", attempt: 2, reason: "network" },
        { type: "text", index: 0, text: "fresh" },
        finish,
      ),
      model,
    );
    expect(response.message).toStrictEqual({
      role: "assistant",
      content: [{ type: "text", text: "fresh" }],
      finishReason: "stop",
      model,
    });
    expect(response.attempts).toBe(2);
    expect("responseId" in response).toBe(false);
  });

  test("does not let a call go on that began before it", async () => {
    const deltas = streamOf<ModelDelta>(start(0, "c"), { type: "restart", attempt: 2, reason: "x" }, args(0, "{}"));
    expect(await thrownBy(() => collect(deltas, model))).toMatchObject({ code: "corrupt_data" });
  });

  test("means that the finish of the abandoned attempt does not count", async () => {
    const deltas = streamOf<ModelDelta>(finish, { type: "restart", attempt: 2, reason: "x" });
    expect(await thrownBy(() => collect(deltas, model))).toMatchObject({ code: "network" });
  });

  test("adds usage over the attempts and keeps the last one's own on the message (MW-07)", async () => {
    const response = await collect(
      streamOf<ModelDelta>(
        usage(5),
        usage(7),
        { type: "restart", attempt: 2, reason: "x" },
        usage(2),
        { type: "restart", attempt: 3, reason: "x" },
        usage(1),
        finish,
      ),
      model,
    );
    expect(response.usage).toEqual({ outputTokens: 10, source: "reported" });
    expect(response.message.usage).toEqual({ outputTokens: 1, source: "reported" });
    expect(response.attempts).toBe(3);
  });

  test("keeps what earlier attempts cost when the last one does not say", async () => {
    const response = await collect(streamOf(usage(5), { type: "restart", attempt: 2, reason: "x" }, finish), model);
    expect(response.usage).toEqual({ outputTokens: 5, source: "reported" });
    expect(response.message.usage).toBeUndefined();
  });
});

describe("what a collector says before the end", () => {
  test("is the visible text, the characters of every kind, and whether the end has come", () => {
    const collector = new ResponseCollector(model);
    expect([collector.text, collector.receivedChars, collector.finished, collector.usage]).toEqual([
      "",
      0,
      false,
      undefined,
    ]);
    collector.add({ type: "text", index: 0, text: "ab" });
    collector.add({ type: "reasoning", index: 1, text: "cde" });
    collector.add(start(2, "c"));
    collector.add(args(2, "{}"));
    const before = collector.text;
    collector.add({ type: "text", index: 0, text: "f" });
    expect([before, collector.text, collector.receivedChars]).toEqual(["ab", "abf", 8]);
    collector.add(finish);
    expect(collector.finished).toBe(true);
  });

  test("includes whether the attempt under way has told its usage", () => {
    const collector = new ResponseCollector(model);
    expect(collector.reportsCurrent).toBe(false);
    collector.add({ type: "usage", usage: { outputTokens: 1, source: "reported" } });
    expect(collector.reportsCurrent).toBe(true);
    collector.add({ type: "restart", attempt: 2, reason: "network" });
    expect([collector.reportsCurrent, collector.usage?.outputTokens]).toEqual([false, 1]);
  });

  test("does not change a response that it has given", () => {
    const collector = new ResponseCollector(model);
    collector.add({ type: "text", index: 0, text: "a" });
    collector.add(finish);
    const early = collector.response();
    collector.add({ type: "text", index: 0, text: "b" });
    expect(early.message.content).toEqual([{ type: "text", text: "a" }]);
  });
});

describe("a stream that breaks the contract", () => {
  async function refusal(...deltas: readonly unknown[]) {
    return thrownBy(() => collect(streamOf(...(deltas as ModelDelta[])), model));
  }

  test.each<[unknown, string, string]>([
    [null, "2", "it is null, and no fragment"],
    [{ type: "text", index: 0, text: 5 }, "2", "text: a string is expected, a number found"],
    [{ type: "reasoning", index: "0", text: "x" }, "2", "index: a number is expected, a string found"],
    [{ type: "tool_call_args", index: 0 }, "2", "args: a string is expected, nothing found"],
    [{ type: "block", index: 0 }, "2", "block: an object is expected, nothing found"],
    [{ type: "smell" }, "2", "its type is none that there is"],
    [{ type: "finish", finishReason: "tired" }, "2", "finishReason: it is none of"],
  ])("is refused with the number of its delta and the field that is wrong (%#)", async (delta, number, reason) => {
    expect(await refusal({ type: "text", index: 0, text: "x" }, delta)).toMatchObject({
      code: "corrupt_data",
      retryable: false,
      details: { place: `the stream of mock/one, delta ${number}`, reason: expect.stringContaining(reason) },
    });
  });

  test("is refused too when its fragment reads otherwise the second time", async () => {
    let reads = 0;
    const shifty = {
      type: "text",
      index: 0,
      get text() {
        return reads++ === 0 ? 5 : "x";
      },
    };
    expect(await refusal(shifty)).toMatchObject({ details: { reason: "it changes while it is read" } });
  });

  test("is not added up without end", () => {
    const mebi = "x".repeat(1024 * 1024);
    const collector = new ResponseCollector(model);
    for (let i = 0; i < 64; i++) collector.add({ type: "text", index: i, text: mebi });
    expect(() => collector.add({ type: "reasoning", index: 99, text: "x" })).toThrow(/more than 67108864 characters/);
    const calls = new ResponseCollector(model);
    calls.add(start(0, "c"));
    for (let i = 0; i < 64; i++) calls.add(args(0, mebi));
    expect(() => calls.add(args(0, "x"))).toThrow(/more than 67108864 characters/);
    collector.add({ type: "restart", attempt: 2, reason: "again" });
    collector.add({ type: "text", index: 0, text: "x" });
    expect(collector.text).toBe("x");
  });

  test("has no blocks without end", () => {
    const collector = new ResponseCollector(model);
    for (let i = 0; i < 1_000_000; i++) collector.add(start(0, "c"));
    expect(() => collector.add(start(0, "c"))).toThrow(/more than 1000000 blocks/);
  });
});

describe("usage that cannot be right", () => {
  const counted = (usage: unknown): ModelDelta => ({ type: "usage", usage }) as ModelDelta;

  test("counts as unknown, and the response says so (USG-01, OB-05)", async () => {
    const told = { inputTokens: 3, outputTokens: Number.NaN, source: "reported" };
    const warnings = [{ code: "provider", message: "w" }] as const;
    const response = await collect(streamOf(counted(told), { ...finish, warnings } as ModelDelta), model);
    expect(response.usage).toEqual({ inputTokens: 3, source: "reported" });
    expect(response.message.usage).toEqual(response.usage);
    expect(response.warnings).toEqual([
      warnings[0],
      { code: "malformed_data", message: expect.stringMatching(/mock\/one.*outputTokens is NaN/) },
    ]);
  });

  test("in the finish counts as unknown too", async () => {
    const response = await collect(streamOf({ ...finish, usage: { inputTokens: -1 } } as ModelDelta), model);
    expect(response).not.toHaveProperty("usage");
    expect(response.warnings).toMatchObject([{ code: "malformed_data" }]);
  });

  test("does not replace what was told before, and is forgotten when it is put right", async () => {
    const right = { inputTokens: 3, outputTokens: 2, source: "reported" };
    const kept = await collect(streamOf(counted(right), counted(null), finish), model);
    expect(kept.usage).toEqual(right);
    expect(kept.warnings).toHaveLength(1);
    const mended = await collect(streamOf(counted({ ...right, inputTokens: "x" }), counted(right), finish), model);
    expect(mended.usage).toEqual(right);
    expect(mended.warnings).toEqual([]);
  });

  test("of an attempt is not the fault of the next one", async () => {
    const again: ModelDelta = { type: "restart", attempt: 2, reason: "network" };
    const response = await collect(streamOf(counted({ inputTokens: -1 }), again, finish), model);
    expect(response.warnings).toEqual([]);
    expect(response).not.toHaveProperty("usage");
  });
});

describe("long answers (PF-02)", () => {
  test("of 200,000 characters, one at a time, add up", () => {
    const collector = new ResponseCollector(model);
    for (let i = 0; i < 200_000; i++) collector.add({ type: "text", index: 0, text: String(i % 10) });
    collector.add(finish);
    const [block] = collector.response().message.content;
    expect(block).toEqual({ type: "text", text: "0123456789".repeat(20_000) });
  });

  test("of 200,000 blocks that grow by turns add up", () => {
    const collector = new ResponseCollector(model);
    for (const letter of ["a", "b"]) {
      for (let index = 0; index < 200_000; index++) collector.add({ type: "text", index, text: letter });
    }
    collector.add(finish);
    const { content } = collector.response().message;
    expect(content).toHaveLength(200_000);
    expect(content.every((block) => block.type === "text" && block.text === "ab")).toBe(true);
  });

  test("cost one look at each delta", () => {
    for (const count of [1_000, 2_000]) {
      let looks = 0;
      const collector = new ResponseCollector(model);
      for (let i = 0; i < count; i++) {
        collector.add({
          type: "text",
          index: i % 2,
          get text() {
            looks++;
            return "x";
          },
        });
      }
      collector.add(finish);
      collector.response();
      expect(looks).toBe(count);
    }
  });
});
