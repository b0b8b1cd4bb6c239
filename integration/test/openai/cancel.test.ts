import { manualClock } from "@tinyagents/core";
import { type Agent, createAgent, runOf } from "@tinyagents/harness";
import { toArray } from "@tinyagents/testkit";
import type { WireAnswer, WireFault } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { served } from "./world.js";

const silent: WireFault = { type: "silence" };
const stalled: WireFault = { type: "stall", afterFrames: 3 };

async function talker(fault: WireFault) {
  const answer: WireAnswer = { text: "A long story", split: "characters", faults: [fault] };
  const { server, model } = await served([answer]);
  return { server, agent: createAgent({ name: "talker", model }) };
}

describe("cancelling a run closes the connection: the server sees it", () => {
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

  it("by the handle of a run in the background", async () => {
    const { server, agent } = await talker(silent);
    const handle = agent.start("Tell me.");
    const request = await server.received();
    handle.cancel("not needed");
    await expect(handle.result).rejects.toMatchObject({ code: "cancelled" });
    expect(await request.ended).toBe("aborted");
  });

  it("by the run's time, and the history that is left is whole", async () => {
    const { server, model } = await served([{ text: "A long story", faults: [silent] }]);
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

  it("a run that was cancelled before it began asks nobody", async () => {
    const { server, agent } = await talker(silent);
    await expect(agent.invoke("Tell me.", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(server.requests).toHaveLength(0);
  });
});
