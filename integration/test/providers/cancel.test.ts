import { manualClock } from "@tinyagents/core";
import { type Agent, createAgent, runOf } from "@tinyagents/harness";
import { toArray } from "@tinyagents/testkit";
import type { WireAnswer } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { PROVIDERS, served } from "../support/providers.js";

describe.each(PROVIDERS)(
  "$name: cancelling a run closes the connection, and the server sees it (PA-12)",
  (provider) => {
    const silent: WireAnswer = { text: "A long story", faults: [{ type: "silence" }] };
    const stalled: WireAnswer = {
      text: "A long story",
      split: "characters",
      faults: [{ type: "stall", afterFrames: provider.framesToText }],
    };

    async function talker(answer: WireAnswer) {
      const { server, model } = await served(provider, [answer]);
      return { server, agent: createAgent({ name: "talker", model }) };
    }

    it.each([
      ["waited for", silent],
      ["half there", stalled],
    ])("by a signal, while the answer is %s", async (_, answer) => {
      const ways = [
        (agent: Agent, signal: AbortSignal) => agent.invoke("Tell me.", { signal }),
        (agent: Agent, signal: AbortSignal) => toArray(agent.stream("Tell me.", { signal })),
      ];
      for (const run of ways) {
        const { server, agent } = await talker(answer);
        const controller = new AbortController();
        const running = run(agent, controller.signal);
        const request = await server.received();
        controller.abort("enough");
        await expect(running).rejects.toMatchObject({ code: "cancelled", details: { reason: "enough" } });
        expect(await request.ended).toBe("aborted");
        expect(server.requests).toHaveLength(1);
      }
    });

    it("by leaving the stream", async () => {
      const { server, agent } = await talker(stalled);
      for await (const item of agent.stream("Tell me.")) if (item.type === "text") break;
      expect(await server.requests[0]?.ended).toBe("aborted");
    });

    it("by the handle of a run in the background", async () => {
      const { server, agent } = await talker(silent);
      const handle = agent.start("Tell me.");
      const request = await server.received();
      handle.cancel("not needed");
      await expect(handle.result).rejects.toMatchObject({ code: "cancelled" });
      expect(await request.ended).toBe("aborted");
    });

    it("by the run's time, and the history that is left is whole", async () => {
      const { server, model } = await served(provider, [silent]);
      const clock = manualClock();
      const agent = createAgent({ name: "talker", model, clock, limits: { wallClockMs: 1_000 } });
      const run = agent.invoke("Tell me.").catch((thrown: unknown) => thrown);
      const request = await server.received();
      await clock.advance(1_000);
      const error = await run;
      expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "wallClockMs" } });
      expect(await request.ended).toBe("aborted");
      expect(server.requests).toHaveLength(1);
      expect(runOf(error)?.messages.map(({ role }) => role)).toEqual(["user"]);
    });

    it("and what had been said by then is counted, never as zero (OB-05)", async () => {
      const { server, model } = await served(provider, [stalled]);
      const clock = manualClock();
      const agent = createAgent({ name: "talker", model, clock, limits: { wallClockMs: 1_000 } });
      const items = agent.stream("Tell me.")[Symbol.asyncIterator]();
      while ((await items.next()).value?.type !== "text");
      const next = items.next().catch((thrown: unknown) => thrown);
      await clock.advance(1_000);
      const error = await next;
      expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "wallClockMs" } });
      expect(await server.requests[0]?.ended).toBe("aborted");
      const { inputTokens, outputTokens, unknownCalls } = runOf(error)?.usage ?? {};
      expect(inputTokens).toBeGreaterThan(0);
      expect(outputTokens === 0 && unknownCalls === 0).toBe(false);
    });

    it("a run that was cancelled before it began asks nobody", async () => {
      const { server, agent } = await talker(silent);
      await expect(agent.invoke("Tell me.", { signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: "cancelled",
      });
      expect(server.requests).toHaveLength(0);
    });
  },
);
