import { inspect } from "node:util";
import { type AgentStreamItem, isTinyAgentsError, tool } from "@tinyagents/core";
import { createAgent, runOf } from "@tinyagents/harness";
import { runRecorder } from "@tinyagents/persistence";
import { memoryAppendStore } from "@tinyagents/store-memory";
import { eventRecorder } from "@tinyagents/testkit";
import type { WireEntry, WireReply, WireRequest } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import { served } from "./world.js";

/** None has the shape of a key: nothing but knowing it takes it out. */
const SECRETS = {
  key: "canary+kestrel/7d1f0a",
  header: "canary.heron.93c2be",
  environment: "canary-egret-c4471b",
} as const;

afterEach(() => void vi.unstubAllEnvs());

const look = tool({
  name: "look",
  description: "Looks.",
  input: { type: "object", properties: {} },
  execute: () => "nothing is there",
});

function echo(reply: (said: string) => WireReply): WireEntry {
  return (request) => reply(secretsOf(request));
}

/** What a request said that nobody else may learn. */
function secretsOf({ authorization = "", headers }: WireRequest): string {
  return `${authorization.replace("Bearer ", "")} and ${headers["x-gateway-key"]}`;
}

const ECHOES: { readonly [name: string]: WireEntry } = {
  "a refused key": echo((said) => ({
    status: 401,
    message: `No access for ${said}.`,
    headers: { "x-request-id": said, "set-cookie": said },
    more: { signin_url: said },
  })),
  "a missing model": echo((said) => ({ status: 404, message: `model '${said}' not found` })),
  "a web page of a proxy": echo((said) => ({ status: 502, body: `<html>Bad gateway for ${said}</html>` })),
  "an error amid a stream": echo((said) => ({
    text: "Hello",
    faults: [{ type: "error_frame", afterFrames: 1, error: { message: `Gone: ${said}` } }],
  })),
  "a line that is no JSON": echo((said) => ({
    text: "Hello",
    faults: [{ type: "malformed_frame", afterFrames: 1, data: `{"key": "${said}", oh}` }],
  })),
  "a call that the server could not read": echo((said) => ({
    status: 500,
    message: `error parsing tool call: raw='{"key":"${said}"', err=unexpected end near ${said}`,
  })),
};

/** Everything that leaves a run, as text: its events, items, records, error and what was logged. */
async function everythingOf(entry: WireEntry, streamed: boolean): Promise<string> {
  vi.stubEnv("OLLAMA_API_KEY", SECRETS.environment);
  const logged = (["debug", "info", "log", "warn", "error"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(() => undefined),
  );
  const headers = { "x-gateway-key": SECRETS.header };
  const { model, server } = await served([entry, entry, entry, entry], { apiKey: SECRETS.key, headers });
  const events = eventRecorder({ payloads: true, deltas: true });
  const log = memoryAppendStore();
  const agent = createAgent({
    name: "helper",
    model,
    tools: [look],
    events,
    recorder: runRecorder(log),
    policies: { retry: { initialDelayMs: 0, maxAttempts: 2 } },
    limits: { maxCorrections: 2 },
  });
  const items: AgentStreamItem[] = [];
  const running = streamed ? drain(agent.stream("Hi", { runId: "r1" }), items) : agent.invoke("Hi", { runId: "r1" });
  const error = await running.then(
    (run) => run,
    (thrown: unknown) => thrown,
  );
  expect(isTinyAgentsError(error)).toBe(true);
  expect(leaksIn(secretsOf(server.requests[0] as WireRequest))).toHaveLength(2);
  return [
    inspect(error, { depth: 12, showHidden: true }),
    JSON.stringify(error),
    JSON.stringify(runOf(error)),
    JSON.stringify(events.events),
    JSON.stringify(items),
    JSON.stringify(await log.read("runs/r1")),
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

describe("keys and header values stay in the process, whatever an Ollama server repeats of them (SE-08)", () => {
  it.each(Object.entries(ECHOES))("%s", async (_, entry) => {
    for (const streamed of [false, true]) expect(leaksIn(await everythingOf(entry, streamed))).toEqual([]);
  });
});
