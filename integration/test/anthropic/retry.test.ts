import { createAgent } from "@tinyagents/harness";
import { scriptedModel, testSurroundings, toArray } from "@tinyagents/testkit";
import type { WireEntry, WireFailure } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { served } from "./world.js";

const AT_ONCE = { retry: { initialDelayMs: 0 } };

async function ask(script: readonly WireEntry[], options: Partial<Parameters<typeof createAgent>[0]> = {}) {
  const { server, model } = await served(script);
  const agent = createAgent({ name: "helper", policies: AT_ONCE, ...options, model });
  const [run] = await Promise.allSettled([agent.invoke("Hi")]);
  return { server, run, calls: server.requests.length };
}

describe("wire calls are repeated by the harness alone, so that no attempts multiply (ERR-12)", () => {
  it.each<WireFailure>([{ status: 429 }, { status: 500 }, { status: 502 }, { status: 504 }, { status: 529 }])(
    "a passing failure is followed by one more call: $status",
    async (failure) => {
      const { server, run, calls } = await ask([failure, "Hello."]);
      expect(run).toMatchObject({ value: { text: "Hello.", counters: { modelCalls: 1, retries: 1 } } });
      expect(calls).toBe(2);
      server.assertDone();
    },
  );

  it("an overloaded server that says so inside a stream is asked again (PA-18)", async () => {
    const overloaded = { type: "overloaded_error", message: "Overloaded" };
    const frame = { type: "error_frame", error: overloaded } as const;
    const { model, server } = await served([{ text: "Lost", faults: [frame] }, "Hello."]);
    const items = await toArray(createAgent({ name: "helper", model, policies: AT_ONCE }).stream("Hi"));
    expect(items.at(-1)).toMatchObject({ type: "final", run: { text: "Hello." } });
    expect(server.requests).toHaveLength(2);
  });

  it.each<readonly [WireFailure, string]>([
    [{ status: 400 }, "provider_bad_request"],
    [{ status: 401 }, "provider_auth"],
    [{ status: 403 }, "provider_auth"],
    [{ status: 404 }, "provider_bad_request"],
    [{ status: 413 }, "provider_bad_request"],
    [{ status: 400, reason: "prompt_too_long" }, "context_window_exceeded"],
  ])("a refused configuration or request is never repeated: %o", async (failure, code) => {
    const { run, calls } = await ask([failure, "Hello."]);
    expect(run).toMatchObject({ status: "rejected", reason: { code, retryable: false } });
    expect(calls).toBe(1);
  });

  it.each<WireFailure>([{ status: 400, reason: "quota" }, { status: 402 }])(
    "used-up credit is not repeated, and passed on to another model only where the policy says so: %o (PA-16)",
    async (failure) => {
      const spare = () => scriptedModel(["From the spare."]);
      const alone = await ask([failure, "Hello."], { fallbacks: [spare()] });
      expect(alone.run).toMatchObject({ status: "rejected", reason: { code: "provider_billing" } });
      expect(alone.calls).toBe(1);
      const policies = { ...AT_ONCE, fallback: { codes: ["provider_billing"] } } as const;
      const allowed = await ask([failure, "Hello."], { fallbacks: [spare()], policies });
      expect(allowed.run).toMatchObject({ value: { text: "From the spare." } });
      expect(allowed.calls).toBe(1);
    },
  );

  it("the wait that the server asks for is kept, on the run's clock (PA-17)", async () => {
    const { clock, events, random } = testSurroundings();
    const { server, model } = await served([{ status: 429, retryAfter: 7 }, "Hello."]);
    const run = createAgent({ name: "helper", model, clock, events, random }).invoke("Hi");
    const { data } = await events.seen("retry.scheduled");
    expect(data).toMatchObject({ delayMs: 7_000, code: "provider_rate_limit", attempt: 2 });
    await clock.advance(6_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect((await run).text).toBe("Hello.");
  });
});
