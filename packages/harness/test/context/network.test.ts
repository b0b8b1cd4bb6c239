import http from "node:http";
import https from "node:https";
import net from "node:net";
import { storeRegistry } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { eventRecorder, fakeTool, scriptedModel, toArray } from "@tinyagents/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { keptRuns } from "../support/kept-runs.js";
import { threads } from "../support/threads.js";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

test("a run with tools, schemas, memory, recorder, a sub-agent and structured output opens no connection (PKG-08)", async () => {
  const tried: string[] = [];
  const refuse = (what: string) => (): never => {
    tried.push(what);
    throw new Error(`${what} was used`);
  };
  for (const what of ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"]) vi.stubGlobal(what, refuse(what));
  vi.spyOn(net.Socket.prototype, "connect").mockImplementation(refuse("a socket"));
  vi.spyOn(http, "request").mockImplementation(refuse("http.request"));
  vi.spyOn(https, "request").mockImplementation(refuse("https.request"));

  const child = createAgent({ name: "child", model: scriptedModel(["There is fog."]) });
  const input = { type: "object", properties: { at: { type: "string", format: "uri" } }, required: ["at"] };
  const agent = createAgent({
    name: "a",
    model: scriptedModel([
      {
        toolCalls: [
          { name: "look", args: { at: "https://example.com" } },
          { name: "child", args: { task: "Look." } },
        ],
      },
      '{"fog":true}',
    ]),
    tools: [fakeTool({ name: "look", input }), child.asTool({ description: "Looks." })],
    output: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { fog: { type: "boolean" } },
    },
    memory: threads(),
    recorder: keptRuns(),
    stores: storeRegistry({}),
    events: eventRecorder({ deltas: true }),
    middleware: [{ name: "m", beforeModel: () => {} }],
  });
  const items = await toArray(agent.stream("Go.", { threadId: "t" }));
  expect(items.at(-1)).toMatchObject({ type: "final", run: { status: "completed", output: { fog: true } } });
  expect(tried).toEqual([]);
});
