import { createAgent } from "@tinyagents/harness";
import { scriptedModel, testSurroundings, toArray } from "@tinyagents/testkit";
import type { WireAnswer, WireEntry, WireFailure } from "@tinyagents/testkit/wire";
import { describe, expect, it } from "vitest";
import { PROVIDERS, type Provider, served } from "../support/providers.js";

const AT_ONCE = { retry: { initialDelayMs: 0 } };

interface Refusals {
  readonly passing: readonly WireFailure[];
  readonly lasting: readonly (readonly [WireFailure, string])[];
  /** Credit or quota that is used up. */
  readonly usedUp: readonly WireFailure[];
}

const openai: Refusals = {
  passing: [{ status: 429 }, { status: 500 }, { status: 502 }, { status: 503 }, { status: 529 }],
  lasting: [
    [{ status: 400 }, "provider_bad_request"],
    [{ status: 401 }, "provider_auth"],
    [{ status: 403 }, "provider_auth"],
    [{ status: 404 }, "model_not_found"],
    [{ status: 400, code: "context_length_exceeded" }, "context_window_exceeded"],
  ],
  usedUp: [{ status: 429, code: "insufficient_quota" }, { status: 402 }],
};

const REFUSALS: { readonly [P in Provider["name"]]: Refusals } = {
  "OpenAI, Chat Completions": openai,
  "OpenAI, Responses": openai,
  Anthropic: {
    passing: [{ status: 429 }, { status: 500 }, { status: 502 }, { status: 504 }, { status: 529 }],
    lasting: [
      [{ status: 400 }, "provider_bad_request"],
      [{ status: 401 }, "provider_auth"],
      [{ status: 403 }, "provider_auth"],
      [{ status: 404 }, "provider_bad_request"],
      [{ status: 413 }, "provider_bad_request"],
      [{ status: 400, reason: "prompt_too_long" }, "context_window_exceeded"],
    ],
    usedUp: [{ status: 400, reason: "quota" }, { status: 402 }],
  },
  Ollama: {
    passing: [{ status: 429 }, { status: 500 }, { status: 502 }, { status: 503 }],
    lasting: [
      [{ status: 400 }, "provider_bad_request"],
      [{ status: 401 }, "provider_auth"],
      [{ status: 403 }, "provider_auth"],
      [{ status: 404, message: "model 'qwen3' not found" }, "model_not_found"],
    ],
    usedUp: [{ status: 402 }],
  },
};

describe.each(PROVIDERS)(
  "$name: wire calls are repeated by the harness alone, so that no attempts multiply (ERR-12)",
  (provider) => {
    const { passing, lasting, usedUp } = REFUSALS[provider.name];

    async function ask(script: readonly WireEntry[], options: Partial<Parameters<typeof createAgent>[0]> = {}) {
      const { server, model } = await served(provider, script);
      const agent = createAgent({ name: "helper", policies: AT_ONCE, ...options, model });
      const [run] = await Promise.allSettled([agent.invoke("Hi")]);
      return { server, run, calls: server.requests.length };
    }

    it.each(passing)("a passing failure is followed by one more call: $status", async (failure) => {
      const { server, run, calls } = await ask([failure, "Hello."]);
      expect(run).toMatchObject({ value: { text: "Hello.", counters: { modelCalls: 1, retries: 1 } } });
      expect(calls).toBe(2);
      server.assertDone();
    });

    it("a connection that breaks is tried again, before the answer and in the middle of it", async () => {
      const cuts = [{ type: "cut" }, { type: "cut", afterBytes: 30 }] as const;
      const { run, calls } = await ask([...cuts.map((cut) => ({ text: "Lost", faults: [cut] })), "Hello."]);
      expect(run).toMatchObject({ value: { text: "Hello." } });
      expect(calls).toBe(3);
    });

    it("a server that fails inside a stream is asked again (PA-18)", async () => {
      const { model, server } = await served(provider, [
        { text: "Lost", faults: [{ type: "error_frame", afterFrames: provider.framesToText }] },
        "Hello.",
      ]);
      const items = await toArray(createAgent({ name: "helper", model, policies: AT_ONCE }).stream("Hi"));
      expect(items.at(-1)).toMatchObject({ type: "final", run: { text: "Hello." } });
      expect(server.requests).toHaveLength(2);
    });

    it("a server that stays down gets as many calls as the policy has attempts, and no more", async () => {
      const down = Array.from({ length: 12 }, () => ({ status: 500 }));
      for (const maxAttempts of [1, 3, 4]) {
        const { run, calls } = await ask(down, { policies: { retry: { initialDelayMs: 0, maxAttempts } } });
        const code = maxAttempts === 1 ? "provider_server" : "retry_exhausted";
        expect(run).toMatchObject({ status: "rejected", reason: { code } });
        expect(calls).toBe(maxAttempts);
      }
    });

    it.each(lasting)("a refused configuration or request is never repeated: %o", async (failure, code) => {
      const { run, calls } = await ask([failure, "Hello."]);
      expect(run).toMatchObject({ status: "rejected", reason: { code, retryable: false } });
      expect(calls).toBe(1);
    });

    it.each(usedUp)(
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
      const { server, model } = await served(provider, [{ status: 429, retryAfter: 7 }, "Hello."]);
      const run = createAgent({ name: "helper", model, clock, events, random }).invoke("Hi");
      const { data } = await events.seen("retry.scheduled");
      expect(data).toMatchObject({ delayMs: 7_000, code: "provider_rate_limit", attempt: 2 });
      await clock.advance(6_999);
      expect(server.requests).toHaveLength(1);
      await clock.advance(1);
      expect((await run).text).toBe("Hello.");
      expect(server.requests).toHaveLength(2);
    });

    it("a stream that breaks says so with a restart, and what comes after it is the whole answer", async () => {
      const cut = { type: "cut", afterFrames: provider.framesToText + 2 } as const;
      const broken: WireAnswer = { text: "Hel-lo", split: "characters", faults: [cut] };
      const { model, server } = await served(provider, [broken, { text: "Hello.", split: "characters" }]);
      const items = await toArray(createAgent({ name: "helper", model, policies: AT_ONCE }).stream("Hi"));
      const restart = items.findIndex(({ type }) => type === "restart");
      const textOf = (some: typeof items) => some.flatMap((item) => (item.type === "text" ? item.text : [])).join("");
      expect(textOf(items.slice(0, restart))).toMatch(/^He/);
      expect(textOf(items.slice(restart))).toBe("Hello.");
      expect(server.requests).toHaveLength(2);
    });
  },
);
