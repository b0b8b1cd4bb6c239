import { inspect } from "node:util";
import { type AgentStreamItem, isTinyAgentsError, tool } from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { runRecorder, shortTermMemory } from "@tinyagents/persistence";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { memoryAppendStore, memoryStore } from "@tinyagents/store-memory";
import { eventRecorder } from "@tinyagents/testkit";
import type { WireEntry, WireReply, WireRequest } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import { served } from "./world.js";

/** Each tells where it was from, and none has the shape of a key: nothing but knowing it takes it out. */
const SECRETS = {
  key: "canary+kestrel/7d1f0a",
  header: "canary.heron.93c2be",
  token: "canary.teal.5e8a41",
  environment: "canary-egret-c4471b",
  data: "canary-stork-20f9d6",
} as const;
const HEADERS = { "x-gateway-key": SECRETS.header, "x-access": `Token ${SECRETS.token}` };

afterEach(() => void vi.unstubAllEnvs());

const look = tool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: {} },
  execute: () => "nothing is there",
});

/** What a request said that nobody else may learn. */
function secretsOf({ authorization = "", headers }: WireRequest): string {
  return `${authorization.replace("Bearer ", "")} and ${headers["x-gateway-key"]} and ${headers["x-access"]}`;
}

function echo(reply: (said: string) => WireReply): WireEntry {
  return (request) => reply(secretsOf(request));
}

const ECHOES: { readonly [name: string]: WireEntry } = {
  "a refused key": echo((said) => ({
    status: 401,
    message: `No access for ${said}.`,
    code: said,
    type: said,
    headers: { "request-id": said, "anthropic-workspace-id": said, "set-cookie": said },
    more: { note: { keys: [said] } },
  })),
  "a limit that was reached": echo((said) => ({ status: 429, retryAfterMs: 1, message: `Too many calls of ${said}.` })),
  "a web page of a proxy": echo((said) => ({ status: 502, body: `<html>Bad gateway for ${said}</html>` })),
  "an error in the middle of a stream": echo((said) => ({
    text: "Hello",
    faults: [{ type: "error_frame", afterFrames: 4, error: { message: `Gone: ${said}`, type: said } }],
  })),
  "a frame that is no JSON": echo((said) => ({
    text: "Hello",
    faults: [{ type: "malformed_frame", afterFrames: 4, data: `{"type": ${said}` }],
  })),
  "a frame that is cut in a key": echo((said) => ({
    text: "Hello",
    faults: [{ type: "malformed_frame", afterFrames: 4, data: `{"type": "ping", "key": "${said}", oh}` }],
  })),
};

/** Everything that leaves a run, as text: its events, items, records, error and what was logged. */
async function everythingOf(entry: WireEntry, streamed: boolean): Promise<string> {
  vi.stubEnv("ANTHROPIC_API_KEY", SECRETS.environment);
  const logged = (["debug", "info", "log", "warn", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  );
  const { model, server } = await served([entry, entry, entry], { apiKey: SECRETS.key, headers: HEADERS });
  const events = eventRecorder({ payloads: true, deltas: true });
  const [log, store] = [memoryAppendStore(), memoryStore()];
  const agent = createAgent({
    name: "helper",
    model,
    tools: [look],
    events,
    recorder: runRecorder(log),
    memory: shortTermMemory(store),
    policies: { retry: { initialDelayMs: 0, maxAttempts: 2 } },
    limits: { maxCorrections: 2 },
  });
  const options = { runId: "r1", threadId: "t1", data: { password: SECRETS.data } };
  const items: AgentStreamItem[] = [];
  const error = await (streamed ? drain(agent.stream("Hi", options), items) : agent.invoke("Hi", options)).then(
    (run) => run,
    (thrown: unknown) => thrown,
  );
  expect(isTinyAgentsError(error)).toBe(true);
  expect(leaksIn(secretsOf(server.requests[0] as WireRequest))).toHaveLength(3);
  return [
    inspect(error, { depth: 12, showHidden: true }),
    JSON.stringify(error),
    JSON.stringify(runOf(error)),
    JSON.stringify(events.events),
    JSON.stringify(items),
    JSON.stringify(await log.read("runs/r1")),
    JSON.stringify(await store.list({ prefix: [] })),
    JSON.stringify(logged.map(({ mock }) => mock.calls)),
  ].join("\n");
}

async function drain(stream: AsyncIterable<AgentStreamItem>, into: AgentStreamItem[]): Promise<void> {
  for await (const item of stream) into.push(item);
}

/** Whole secrets, and pieces of them that are long enough to help a guess. */
function leaksIn(text: string): readonly string[] {
  const length = 8;
  return Object.values(SECRETS).flatMap((secret) => {
    const pieces = Array.from({ length: secret.length - length + 1 }, (_, at) => secret.slice(at, at + length));
    return pieces.filter((piece) => text.includes(piece)).slice(0, 1);
  });
}

describe("keys and header values stay in the process, whatever a server repeats of them (SE-08)", () => {
  it.each(Object.entries(ECHOES))("%s", async (_, entry) => {
    for (const streamed of [false, true]) {
      expect(leaksIn(await everythingOf(entry, streamed))).toEqual([]);
    }
  });

  it("a server that cannot be reached", async () => {
    const { model, server } = await served([], { apiKey: SECRETS.key, headers: HEADERS });
    await server.close();
    const agent = createAgent({ name: "helper", model, policies: { retry: { initialDelayMs: 0 } } });
    const error = await agent.invoke("Hi").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "retry_exhausted" });
    expect(leaksIn(inspect(error, { depth: 12, showHidden: true }))).toEqual([]);
  });

  it("a base URL with a key in it is refused, and the refusal does not repeat it", () => {
    const urls = [`?api-key=${SECRETS.key}`, `#${SECRETS.key}`].map((end) => `https://gateway.invalid/v1${end}`);
    for (const baseUrl of [...urls, `https://user:${encodeURIComponent(SECRETS.key)}@gateway.invalid/v1`]) {
      let thrown: unknown;
      try {
        anthropicModel("claude-opus-5", { apiKey: "key-of-the-test", baseUrl });
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(TypeError);
      expect(leaksIn(inspect(thrown))).toEqual([]);
    }
  });
});
