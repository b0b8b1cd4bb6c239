import { get } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { expectedReport } from "./portable/expected.js";
import { type ForbiddenNetwork, forbidNetwork } from "./support/forbid-network.js";

let network: ForbiddenNetwork;

beforeEach(() => {
  network = forbidNetwork();
});
afterEach(() => network.restore());

it("without a network nothing can be reached: the stubs are where programs look", async () => {
  expect(() => fetch("http://127.0.0.1:1/")).toThrow("no network");
  expect(() => new WebSocket("ws://127.0.0.1:1/")).toThrow("no network");
  expect(() => get("http://127.0.0.1:1/")).toThrow("no network");
  expect(() => connect(1, "127.0.0.1")).toThrow("no network");
  const { lookup } = await import("node:dns/promises");
  expect(() => lookup("localhost")).toThrow("no network");
  expect(network.attempts).toEqual([
    "global.fetch",
    "global.WebSocket",
    "http.get",
    "net.connect",
    "dns.promises.lookup",
  ]);
});

it("agents with the offline model, memory, recorder, approvals and validators need no network (PKG-08)", async () => {
  const { program } = await import("./portable/program.js");
  expect(await program()).toEqual(expectedReport("ajv"));
  expect(network.attempts).toEqual([]);
});

it("nor do retries, fallbacks, sub-agents, prices, sinks and estimates, with a picture by URL in the history (PKG-08)", async () => {
  const { runFullAgent } = await import("./support/full-agent.js");
  expect(await runFullAgent()).toMatchObject({
    text: "It is a cat.",
    models: ["test/scripted", "test/second"],
    cost: "0.0033",
    estimates: 2,
    events: expect.arrayContaining(["retry.scheduled", "fallback.selected", "sub_agent.completed", "model.delta"]),
  });
  expect(network.attempts).toEqual([]);
});
