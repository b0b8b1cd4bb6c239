import { inspect } from "node:util";
import { type AgentStreamItem, isTinyAgentsError, tool } from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { runRecorder, shortTermMemory } from "@tinyagents/persistence";
import { memoryAppendStore, memoryStore } from "@tinyagents/store-memory";
import { eventRecorder } from "@tinyagents/testkit";
import type { WireEntry, WireFault, WireReply, WireRequest } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PROVIDERS, type Provider, served } from "../support/providers.js";

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

/** What any server may repeat. `more`: the fields of an error object that only this API has. */
function echoes(frames: number, more: (said: string) => object): { readonly [name: string]: WireEntry } {
  const amid = (fault: (said: string) => WireFault): WireEntry =>
    echo((said) => ({ text: "Hello", split: "characters", faults: [fault(said)] }));
  return {
    "a refused key": echo((said) => ({
      status: 401,
      message: `No access for ${said}.`,
      headers: { "request-id": said, "x-request-id": said, "anthropic-workspace-id": said, "set-cookie": said },
      more: { note: { keys: [said] } },
      ...more(said),
    })),
    "a missing model": echo((said) => ({ status: 404, message: `model '${said}' not found` })),
    "a limit that was reached": echo((said) => ({
      status: 429,
      retryAfterMs: 1,
      message: `Too many calls of ${said}.`,
    })),
    "a web page of a proxy": echo((said) => ({ status: 502, body: `<html>Bad gateway for ${said}</html>` })),
    "an error in the middle of a stream": amid((said) => ({
      type: "error_frame",
      afterFrames: frames,
      error: { message: `Gone: ${said}`, ...more(said) },
    })),
    "a frame that is no JSON": amid((said) => ({
      type: "malformed_frame",
      afterFrames: frames,
      data: `{"type": ${said}`,
    })),
    "a frame that is cut in a key": amid((said) => ({
      type: "malformed_frame",
      afterFrames: frames,
      data: `{"type": "ping", "id": "1", "choices": [], "key": "${said}", oh}`,
    })),
  };
}

const failedGeneration = echo((said) => ({
  status: 400,
  code: "tool_use_failed",
  message: `Not for ${said}.`,
  more: { failed_generation: "<function=look>{</function>" },
}));

/** What each server may repeat besides, and in which fields of its errors. */
const OWN: {
  readonly [P in Provider["name"]]: {
    readonly more: (said: string) => object;
    readonly entries?: { readonly [name: string]: WireEntry };
  };
} = {
  "OpenAI, Chat Completions": {
    more: (said) => ({ code: said, type: said, param: said }),
    entries: { "a generation that the server refused": failedGeneration },
  },
  "OpenAI, Responses": { more: (said) => ({ code: said, type: said, param: said }) },
  Anthropic: { more: (said) => ({ code: said, type: said }) },
  Ollama: {
    more: () => ({}),
    entries: {
      "a call that the server could not read": echo((said) => ({
        status: 500,
        message: `error parsing tool call: raw='{"key":"${said}"', err=unexpected end near ${said}`,
      })),
    },
  },
};

/** Everything that leaves a run, as text: its events, items, records, error and what was logged. */
async function everythingOf(provider: Provider, entry: WireEntry, streamed: boolean): Promise<string> {
  vi.stubEnv(provider.keyVariable, SECRETS.environment);
  const logged = (["debug", "info", "log", "warn", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  );
  const { model, server } = await served(provider, [entry, entry, entry, entry], {
    apiKey: SECRETS.key,
    headers: HEADERS,
  });
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

describe.each(PROVIDERS)(
  "$name: keys and header values stay in the process, whatever a server repeats of them (SE-08)",
  (provider) => {
    const { more, entries } = OWN[provider.name];

    it.each(Object.entries({ ...echoes(provider.framesToText, more), ...entries }))("%s", async (_, entry) => {
      for (const streamed of [false, true]) {
        expect(leaksIn(await everythingOf(provider, entry, streamed))).toEqual([]);
      }
    });

    it("a server that cannot be reached", async () => {
      const { model, server } = await served(provider, [], { apiKey: SECRETS.key, headers: HEADERS });
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
          provider.model({ baseUrl });
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toBeInstanceOf(TypeError);
        expect(leaksIn(inspect(thrown))).toEqual([]);
      }
    });
  },
);
