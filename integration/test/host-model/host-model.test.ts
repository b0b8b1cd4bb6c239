import { collect, modelRegistry, resolvedModel, userMessage } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { openaiModel } from "@tinyagents/provider-openai";
import { scriptedModel } from "@tinyagents/testkit";
import { openaiWireServer } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, test } from "vitest";
import { type HostAnswer, type HostClient, hostModel } from "./host-client.js";

/** A client that gives one answer, and notes what it was asked. */
function client(answer: HostAnswer): HostClient & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    async complete(route, prompt) {
      asked.push([route, prompt]);
      return answer;
    },
  };
}

const said = { said: "Oslo.", tokens: { in: 5, out: 2 } };

describe("a model that the host owns (PRV-07)", () => {
  test("answers an agent under the host's own name for it, and counts what it told", async () => {
    const host = client(said);
    const models = modelRegistry({
      models: { main: hostModel("plan:pro", host) },
      aliases: { "acme/plan-pro": "main" },
    });
    const run = await createAgent({ name: "a", model: "acme/plan-pro", models }).invoke("Where?");
    expect(run.text).toBe("Oslo.");
    expect(run.usageByModel).toMatchObject([
      { model: { id: "host/plan:pro", name: "main" }, usage: { inputTokens: 5, outputTokens: 2, modelCalls: 1 } },
    ]);
    expect(host.asked).toEqual([["plan:pro", "user: Where?"]]);
  });

  test.each([
    ["plan_used_up", "provider_billing"],
    ["signed_out", "provider_auth"],
  ] as const)(
    "says by itself what %s means: it is asked once, and no other in its place (ERR-12)",
    async (why, code) => {
      const host = client({ refused: why });
      const spare = scriptedModel(["no"]);
      const agent = createAgent({ name: "a", model: hostModel("plan:pro", host), fallbacks: [spare] });
      await expect(agent.invoke("Where?")).rejects.toMatchObject({ code });
      expect(host.asked).toHaveLength(1);
      expect(spare.requests).toEqual([]);
    },
  );
});

describe("an adapter of ours with the host's own requests (PRV-07)", () => {
  const before = process.env.OPENAI_API_KEY;
  afterEach(() => {
    if (before === undefined) delete process.env.OPENAI_API_KEY;
    else process.env.OPENAI_API_KEY = before;
  });

  test("sends what the host signs, newly each time, and no key that it did not pass", async () => {
    process.env.OPENAI_API_KEY = "canary-of-the-environment";
    const server = await openaiWireServer(["One.", "Two."]);
    let token = 0;
    const seen: (string | null)[] = [];
    const signed: typeof globalThis.fetch = (input, init) => {
      seen.push(new Headers(init?.headers).get("authorization"));
      const headers = new Headers(init?.headers);
      headers.set("authorization", `Bearer host-${++token}`);
      return globalThis.fetch(input, { ...init, headers });
    };
    const model = openaiModel("gpt-4o", { apiKey: "signed-by-host", baseUrl: server.url, fetch: signed });
    for (let call = 0; call < 2; call++) {
      const stream = model.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery: "incremental" });
      await collect(stream, resolvedModel(model));
    }
    await server.close();
    expect(seen).toEqual(["Bearer signed-by-host", "Bearer signed-by-host"]);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer host-1", "Bearer host-2"]);
    expect(JSON.stringify(server.requests)).not.toContain("canary");
  });
});
