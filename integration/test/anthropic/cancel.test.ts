import { manualClock } from "@tinyagents/core";
import { type Agent, createAgent, runOf } from "@tinyagents/harness";
import { toArray } from "@tinyagents/testkit";
import type { WireAnswer, WireFault } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { served } from "./world.js";

const silent: WireFault = { type: "silence" };
const stalled: WireFault = { type: "stall", afterFrames: 4 };

async function talker(fault: WireFault) {
  const answer: WireAnswer = { text: "A long story", split: "characters", faults: [fault] };
  const { server, model } = await served([answer]);
  return { server, agent: createAgent({ name: "talker", model }) };
}

describe("cancelling a run closes the connection: the server sees it (PA-12)", () => {
  it.each([silent, stalled])("by a signal, while the answer is waited for or half there: $type", async (fault) => {
    const ways = [
      (agent: Agent, signal: AbortSignal) => agent.invoke("Tell me.", { signal }),
      (agent: Agent, signal: AbortSignal) => toArray(agent.stream("Tell me.", { signal })),
    ];
    for (const run of ways) {
      const { server, agent } = await talker(fault);
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

  it("by the run's time, and the input that was told is counted, never a zero (OB-05)", async () => {
    const { server, model } = await served([
      { text: "A long story", usage: { inputTokens: 30, outputTokens: 9 }, faults: [stalled] },
    ]);
    const clock = manualClock();
    const agent = createAgent({ name: "talker", model, clock, limits: { wallClockMs: 1_000 } });
    const items = agent.stream("Tell me.")[Symbol.asyncIterator]();
    while ((await items.next()).value?.type !== "text");
    const next = items.next().catch((thrown: unknown) => thrown);
    await clock.advance(1_000);
    const error = await next;
    expect(error).toMatchObject({ code: "limit_exceeded", details: { limit: "wallClockMs" } });
    expect(await server.requests[0]?.ended).toBe("aborted");
    expect(runOf(error)?.usage).toMatchObject({ inputTokens: 30 });
    expect(runOf(error)?.usage.outputTokens === 0 && runOf(error)?.usage.unknownCalls === 0).toBe(false);
  });
});
