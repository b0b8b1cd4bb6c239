import { text } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { keptRuns } from "../support/kept-runs.js";
import { call, scriptedAgent, stored } from "../support/tool-runs.js";

const place = z.object({ city: z.string(), celsius: z.number() });
const GOOD = '{"city":"Oslo","celsius":-3}';
const BAD = '{"city":"Oslo","celsius":"cold"}';

describe("an answer that does not fit", () => {
  test("is given again, and the model is told what is wrong and where (SO-05)", async () => {
    const { run, model } = scriptedAgent({ output: place, script: [BAD, GOOD] });
    const finished = await run();
    expect(finished.output).toEqual({ city: "Oslo", celsius: -3 });
    expect(finished.counters).toMatchObject({ modelCalls: 2, corrections: 1 });
    const complaint = text(model.requests[1]?.messages.at(-1) as never);
    expect(complaint).toContain("- celsius: ");
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });

  test.each<[string, false | string | ((issues: readonly { readonly path: string }[]) => string), string]>([
    ["a text", "Numbers, please.", "Numbers, please."],
    ["a function", (issues) => `Look at ${issues.map(({ path }) => path).join()}.`, "Look at celsius."],
  ])("is answered with the application's words: %s (SO-05)", async (_, onInvalid, said) => {
    const { run, model } = scriptedAgent({ output: { schema: place, onInvalid }, script: [BAD, GOOD] });
    await run();
    expect(text(model.requests[1]?.messages.at(-1) as never)).toBe(said);
  });

  test("ends the run at once where nothing is to be mended (SO-05)", async () => {
    const { run, model } = scriptedAgent({ output: { schema: place, onInvalid: false }, script: [BAD] });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({
      code: "structured_output_invalid",
      details: { reason: "invalid", text: BAD, finishReason: "stop", issues: [{ path: "celsius" }] },
    });
    expect(model.requests).toHaveLength(1);
  });

  test("ends the run when the corrections are used up, with the last answer and what was counted (SO-05, PA-24, LIM-06)", async () => {
    const { run, model, events } = scriptedAgent({
      output: place,
      limits: { maxCorrections: 2 },
      script: [BAD, BAD, BAD],
    });
    const { error, run: partial } = await failureOf(run());
    expect(error).toMatchObject({ details: { reason: "corrections_used", text: BAD } });
    expect(error.details).toMatchObject({ counters: { corrections: 2, modelCalls: 3 } });
    expect(events.ofType("limit.reached").map(({ data }) => data)).toEqual([{ limit: "maxCorrections", allowed: 2 }]);
    expect(model.requests).toHaveLength(3);
    expect(partial.output).toBeUndefined();
    expect(partial.text).toBe(BAD);
  });

  test("is bounded by the limit of model calls too (SO-05)", async () => {
    const { run } = scriptedAgent({ output: place, limits: { maxModelCalls: 2 }, script: [BAD, BAD] });
    expect((await failureOf(run())).error).toMatchObject({
      code: "limit_exceeded",
      details: { limit: "maxModelCalls" },
    });
  });

  test("is mended in the form of a forced call as well, with a sound history", async () => {
    const { run, model } = scriptedAgent({
      output: { schema: place, strategy: "tool" },
      script: [
        { toolCalls: [call("final_answer", { city: "Oslo" })] },
        { toolCalls: [{ name: "final_answer", rawArgs: "{broken" }] },
        { toolCalls: [call("final_answer", { city: "Oslo", celsius: 1 })] },
      ],
    });
    expect((await run()).output).toEqual({ city: "Oslo", celsius: 1 });
    expect(text(model.requests[1]?.messages.at(-1) as never)).toContain("- celsius: ");
    expect(text(model.requests[2]?.messages.at(-1) as never)).toContain("no JSON object");
  });
});

describe("a run that promised a structured answer", () => {
  test.each(["native", "tool", "prompt"] as const)(
    "ends after one call when the model declines, with its words (PA-10, PA-24: %s)",
    async (strategy) => {
      const { run, model } = scriptedAgent({
        output: { schema: place, strategy },
        script: [{ refusal: "I cannot help with that." }],
      });
      const { error, run: partial } = await failureOf(run());
      expect(error).toMatchObject({
        code: "structured_output_invalid",
        retryable: false,
        details: { reason: "refusal", text: "I cannot help with that.", finishReason: "refusal" },
      });
      expect(model.requests).toHaveLength(1);
      expect(partial.counters.corrections).toBe(0);
    },
  );

  test.each(["stop", "refusal"] as const)(
    "does the same when the words of refusal stream, with finish %s (PA-10)",
    async (finishReason) => {
      const { agent } = scriptedAgent({
        output: place,
        script: [
          {
            deltas: [
              { type: "refusal", index: 0, text: "I can" },
              { type: "refusal", index: 0, text: "not." },
              { type: "finish", finishReason },
            ],
          },
        ],
      });
      const reading = (async () => {
        for await (const _ of agent.stream("Go.")) {
          // To its end.
        }
      })();
      await expect(reading).rejects.toMatchObject({ details: { reason: "refusal", text: "I cannot." } });
    },
  );

  test.each(["length", "content_filter", "error", "other"] as const)(
    "ends with the raw text when the answer was cut: %s, even when the text is valid (PA-24, AL-09)",
    async (finishReason) => {
      const { run, model } = scriptedAgent({ output: place, script: [{ text: GOOD, finishReason }] });
      const { error } = await failureOf(run());
      expect(error).toMatchObject({
        code: "structured_output_invalid",
        details: { reason: finishReason, text: GOOD, finishReason },
      });
      expect(model.requests).toHaveLength(1);
    },
  );

  test("never ends well with nothing: an empty answer is mended, or it fails (PA-24)", async () => {
    const { run } = scriptedAgent({ output: place, limits: { maxCorrections: 1 }, script: ["", { text: " " }] });
    expect((await failureOf(run())).error).toMatchObject({ details: { reason: "corrections_used" } });
  });

  test("that is finalized by a limit gives a valid answer or fails", async () => {
    const options = { output: place, limits: { maxModelCalls: 1 }, policies: { onLimit: "finalize" } } as const;
    const good = scriptedAgent({ ...options, script: [BAD, GOOD] });
    expect(await good.run()).toMatchObject({ output: { celsius: -3 }, stop: { by: "limit" } });
    const bad = scriptedAgent({ ...options, script: [BAD, BAD] });
    expect((await failureOf(bad.run())).error).toMatchObject({ details: { reason: "limit" } });
  });
});

describe("what the schema makes of an answer", () => {
  const event = z.object({ at: z.string().transform((at) => new Date(at)), tags: z.array(z.string()).default([]) });

  test("is the output; the state keeps the JSON (SO-05, SO-07)", async () => {
    const { run } = scriptedAgent({ output: event, script: ['{"at":"2024-02-29"}'] });
    const finished = await run();
    expect(finished.output).toEqual({ at: new Date("2024-02-29"), tags: [] });
    expect(finished.state.output).toEqual({ strategy: "native", value: { at: "2024-02-29" } });
    expect(finished.text).toBe('{"at":"2024-02-29"}');
  });

  test("may be known later only", async () => {
    const output = z.object({ id: z.string().transform(async (id) => ({ loaded: id })) });
    const { run } = scriptedAgent({ output, script: ['{"id":"a"}'] });
    expect((await run()).output).toEqual({ id: { loaded: "a" } });
  });

  test("is the same when the run was stored after its check and ended elsewhere", async () => {
    const kept = keptRuns();
    const options = { output: event, recorder: kept, script: ['{"at":"2024-02-29"}'] };
    await scriptedAgent(options).run();
    const checked = kept.states.find(({ phase }) => phase === "finalize");
    const elsewhere = scriptedAgent({ output: event, script: [] });
    const finished = await elsewhere.agent.resume(stored(checked as never));
    expect(finished.output).toEqual({ at: new Date("2024-02-29"), tags: [] });
  });
});

test("a run's parts are fields of their own (SO-07)", async () => {
  const { run } = scriptedAgent({ output: place, script: [GOOD] });
  const finished = await run();
  expect(finished).toMatchObject({
    status: "completed",
    output: { city: "Oslo" },
    text: GOOD,
    messages: [{ role: "user" }, { role: "assistant", content: [{ type: "text", text: GOOD }] }],
    state: { phase: "done" },
  });
});
