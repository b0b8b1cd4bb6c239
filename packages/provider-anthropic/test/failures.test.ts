import { inspect } from "node:util";
import { collect, isTinyAgentsError, resolvedModel, userMessage } from "@tinyagents/core";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { describe, expect, it } from "vitest";
import { KEY, serve } from "./served.js";

describe("failures", () => {
  it("of credit are told at once, after one request (PA-16)", async () => {
    const { ask, server: wire } = await serve([{ status: 400, reason: "quota" }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_billing", retryable: false });
    expect(wire.requests).toHaveLength(1);
  });

  it.each([429, 500, 502, 503, 529])(
    "with %s are told after one request: repeating is the caller's (ERR-12)",
    async (status) => {
      const { ask, server: wire } = await serve([{ status }]);
      await expect(ask()).rejects.toMatchObject({ retryable: true, details: { requestId: "req_1" } });
      expect(wire.requests).toHaveLength(1);
    },
  );

  it("inside a stream are failures of the call, before and after output began (PA-18)", async () => {
    const error = { type: "overloaded_error", message: "Overloaded" };
    const faults = [0, 4].map((afterFrames) => [{ type: "error_frame", afterFrames, error }] as const);
    const { ask } = await serve([
      ...faults.map((list) => ({ text: "Hi", faults: list })),
      { whole: { type: "error", error } },
      {
        frames: [
          { type: "vendor_error", error },
          { type: "error", error },
        ],
      },
    ]);
    for (const delivery of ["incremental", "incremental", "whole", "incremental"] as const) {
      await expect(ask({}, { delivery })).rejects.toMatchObject({ code: "provider_overloaded", retryable: true });
    }
  });

  it("inside a stream are told also when the server names the event otherwise (PA-18)", async () => {
    const data = JSON.stringify({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } });
    const stream = () =>
      Promise.resolve(
        new Response(`event: message\ndata: ${data}\n\n`, { headers: { "content-type": "text/event-stream" } }),
      );
    const { ask } = await serve([], { fetch: stream });
    await expect(ask()).rejects.toMatchObject({ code: "provider_overloaded" });
  });

  it("of framing, and web pages in place of answers, have a code", async () => {
    const page = () =>
      Promise.resolve(new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } }));
    const { ask } = await serve([{ text: "Hi", faults: [{ type: "malformed_frame", afterFrames: 4 }] }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_server" });
    const lost = anthropicModel("m", { apiKey: KEY, fetch: page });
    const answer = collect(
      lost.stream({ messages: [userMessage("Hi")] }, { signal: undefined, delivery: "whole" }),
      resolvedModel(lost),
    );
    await expect(answer).rejects.toMatchObject({
      code: "provider_bad_request",
      message: expect.stringContaining("baseUrl"),
    });
  });

  it("of proxies are read as far as they can be", async () => {
    const { ask } = await serve([{ status: 502, body: "<html>Bad gateway</html>" }]);
    await expect(ask()).rejects.toMatchObject({ code: "provider_server", details: { status: 502 } });
  });

  it("to connect are network failures, which can be repeated", async () => {
    const { ask, server: wire } = await serve([]);
    await wire.close();
    await expect(ask()).rejects.toMatchObject({
      code: "network",
      retryable: true,
      details: { provider: "anthropic", reason: "ECONNREFUSED" },
    });
  });

  it("never have the key or a header's value in them (SE-08)", async () => {
    const { ask } = await serve(
      ({ authorization, headers }) => ({
        status: 401,
        type: authorization ?? "",
        code: headers["x-gateway-key"] ?? "",
        message: `No access for ${authorization?.slice("Bearer ".length)} with ${headers["x-gateway-key"]}.`,
        headers: { "request-id": headers["x-gateway-key"] ?? "" },
      }),
      { headers: { "x-gateway-key": "gateway-canary" } },
    );
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(isTinyAgentsError(error, "provider_auth")).toBe(true);
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toMatch(/canary/);
  });
});
