import { type ModelRequest, type ModelResponse, text, toolCalls, toolMessage, userMessage } from "@tinyagents/core";
import type { WireEntry } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BOTH, KEY, LOOK, sent, serve } from "./served.js";

afterEach(() => void vi.unstubAllEnvs());

describe("over a real socket", () => {
  it("nothing is read from the environment, and nothing is logged", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "env-key");
    vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "env-token");
    vi.stubEnv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9");
    vi.stubEnv("ANTHROPIC_LOG", "debug");
    vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", "x-env: env-header\nauthorization: Bearer env-key");
    const logged = (["debug", "info", "log", "warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(() => undefined),
    );
    const { ask, server: wire } = await serve(["Hi"], { headers: { "x-mine": "mine" } });
    await ask();
    expect(JSON.stringify(wire.requests[0]?.headers)).not.toMatch(/env-/);
    expect(wire.requests[0]).toMatchObject({ authorization: `Bearer ${KEY}`, headers: { "x-mine": "mine" } });
    expect(wire.requests[0]?.headers).not.toHaveProperty("anthropic-dangerous-direct-browser-access");
    for (const { mock } of logged) expect(mock.calls).toEqual([]);
  });

  it("every split of the bytes gives the same answer (PA-15, MSG-10)", async () => {
    const answer = {
      reasoning: "考える 🤔",
      text: "你好 👩‍👩‍👧 naïve",
      toolCalls: [{ id: "a", name: "look", args: { at: "東京" } }],
      signature: "sig",
    };
    const splits = [1, 2, 3, 4].map((seed) => ({ seed, longest: 24 }));
    const script: WireEntry[] = [answer, ...splits.map((chunks) => ({ ...answer, chunks }))];
    const { ask } = await serve(script);
    const { message } = await ask({ tools: [LOOK] });
    for (const _ of splits) {
      expect((await ask({ tools: [LOOK] })).message.content).toEqual(message.content);
    }
    expect(text(message)).toBe(answer.text);
  });

  it("lines may end as they like, with comments between them", async () => {
    const endings = ["\n", "\r\n", "\r"] as const;
    const { ask } = await serve(endings.map((lineEnd) => ({ text: "Hi", lineEnd, faults: [{ type: "comments" }] })));
    for (const _ of endings) expect(text((await ask()).message)).toBe("Hi");
  });

  it("events and fragments that nobody knows change nothing (PA-20)", async () => {
    const { ask } = await serve([{ text: "Hi", faults: [{ type: "bare_frames" }] }]);
    const { message, warnings } = await ask();
    expect(message.content).toEqual([{ type: "text", text: "Hi" }]);
    expect(warnings).toMatchObject([{ code: "malformed_data" }]);
  });

  it("calls are told apart however they are numbered, and whole as in pieces (PA-01, MDL-10)", async () => {
    const calls = [
      { id: "a", name: "look", args: { n: 1 } },
      { id: "b", name: "look", args: { n: 2 } },
    ];
    const kinds = [
      { toolIndexes: [1, 5] },
      { toolIndexes: "missing" },
      { toolIndexes: "constant" },
      { wholeCalls: true },
    ] as const;
    const { ask } = await serve(kinds.map((kind) => ({ toolCalls: calls, split: "characters" as const, ...kind })));
    for (const kind of kinds) {
      const { message } = await ask({ tools: [LOOK] });
      const told = toolCalls(message).map(({ id, name, args }) => ({ id, name, args }));
      expect([kind, told]).toEqual([kind, calls]);
    }
  });

  it("a conversation goes on after broken arguments (PA-04), in call order (PA-05)", async () => {
    const broken = {
      toolCalls: [
        { id: "a", name: "look", rawArgs: '{"at":' },
        { id: "b", name: "look" },
      ],
    };
    const { ask, server: wire } = await serve([broken, "Sorry."]);
    const messages = [userMessage("Hi")];
    const { message } = await ask({ messages, tools: [LOOK] });
    expect(message.content[0]).toMatchObject({ invalid: { raw: '{"at":' } });
    const results = ["a", "b"].map((id) => toolMessage({ id, name: "look" }, "no JSON", "invalid"));
    const second = await ask({ messages: [...messages, message, ...results], tools: [LOOK] });
    expect(text(second.message)).toBe("Sorry.");
    expect(wire.violations).toEqual([]);
    expect(sent(wire, 2)[2]?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(["a", "b"]);
  });

  it("thoughts, own blocks and call ids are the same after storage and two more turns (MSG-07, MSG-12, MSG-09)", async () => {
    const usage = { inputTokens: 100, outputTokens: 9, cachedInputTokens: 80, reasoningTokens: 4 };
    const blocks = [
      {
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "web_search",
        input: { query: "x" },
        caller: { type: "direct" },
      },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [], caller: { type: "direct" } },
      { type: "redacted_thinking", data: "ZGF0YQ==" },
    ];
    const first = {
      reasoning: "Hm — 你好",
      signature: "c2ln",
      text: "Let me look.",
      blocks,
      toolCalls: [{ id: "toolu_1", name: "look" }],
      usage,
    };
    for (const delivery of BOTH) {
      const { ask, server: wire } = await serve([first, "One.", "Two."]);
      const request = { tools: [LOOK], reasoningEffort: "low" } as const;
      const stored = JSON.parse(JSON.stringify((await ask(request, { delivery })).message)) as ModelResponse["message"];
      expect(stored).toMatchObject({ responseId: "msg_1", usage: { cachedInputTokens: 80, reasoningTokens: 4 } });
      const answered = [userMessage("Hi"), stored, toolMessage({ id: "toolu_1", name: "look" }, "nothing")];
      const { message } = await ask({ ...request, messages: answered }, { delivery });
      await ask({ ...request, messages: [...answered, message, userMessage("And?")] }, { delivery });
      wire.assertDone();
      for (const turn of [2, 3]) {
        expect(sent(wire, turn)[1]?.content).toEqual([
          { type: "thinking", thinking: "Hm — 你好", signature: "c2ln" },
          { type: "text", text: "Let me look." },
          ...blocks,
          { type: "tool_use", id: "toolu_1", name: "look", input: {}, caller: { type: "direct" } },
        ]);
      }
      await wire.close();
    }
  });

  it("a thought that was broken off is not sent again, and the conversation goes on (PA-06)", async () => {
    const {
      model,
      ask,
      server: wire,
    } = await serve([{ reasoning: "A long thought", text: "x", faults: [{ type: "stall", afterFrames: 4 }] }, "Yes."]);
    const controller = new AbortController();
    let thought = "";
    const read = async (): Promise<void> => {
      const call = { signal: controller.signal, delivery: "incremental" } as const;
      for await (const delta of model.stream({ messages: [userMessage("Hi")] }, call)) {
        if (delta.type !== "reasoning") continue;
        thought += delta.text;
        controller.abort();
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "cancelled" });
    const partial = { role: "assistant", content: [{ type: "reasoning", text: thought }] } as const;
    const { message } = await ask({ messages: [userMessage("Hi"), partial, userMessage("And?")] });
    expect(text(message)).toBe("Yes.");
    expect(wire.violations).toEqual([]);
    expect(JSON.stringify(sent(wire, 2))).not.toContain("thinking");
  });

  it("an answer that may be long is streamed, whoever watches", async () => {
    const { ask, server: wire } = await serve(["a", "b"]);
    const response = await ask({ maxOutputTokens: 8_000 }, { delivery: "whole" });
    expect(response.finishReason).toBe("stop");
    const longer = await serve(["b"], { profile: {} });
    await longer.ask({}, { delivery: "whole" });
    expect([wire, longer.server].map(({ requests }) => requests[0]?.body.stream)).toEqual([false, true]);
    await wire.close();
  });

  it("features are asked for in a header, beside those that every request asks for", async () => {
    const { ask, server: wire } = await serve(["a", "b"], { headers: { "Anthropic-Beta": "one" } });
    await ask({ providerOptions: { anthropic: { betas: ["two", "three"] } } });
    await ask();
    expect(wire.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual(["one,two,three", "one"]);
  });

  it("a long conversation with hints of its own stays within what the cache takes (PA-25)", async () => {
    const { ask, server: wire } = await serve(() => "Yes.");
    const hint = { anthropic: { cacheControl: { type: "ephemeral" } } };
    const messages: ModelRequest["messages"][number][] = [];
    for (let turn = 0; turn < 8; turn++) {
      messages.push(userMessage([{ type: "text", text: `Question ${turn}`, providerMetadata: hint }]));
      const { message } = await ask({ messages: [...messages], tools: [LOOK] });
      messages.push(message);
    }
    expect(wire.violations).toEqual([]);
  });
});
