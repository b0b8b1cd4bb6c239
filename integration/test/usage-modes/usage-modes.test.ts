import { openaiModel } from "@tinyagents/provider-openai";
import { trajectory } from "@tinyagents/testkit";
import { type OpenAIWireServer, openaiWireServer, type WireEntry } from "@tinyagents/testkit/wire";
import { afterEach, describe, expect, it } from "vitest";
import { bundle } from "../support/bundle.js";
import { ask } from "./direct-call.js";
import { calculate } from "./tool-loop.js";

let server: OpenAIWireServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function served(script: readonly WireEntry[]) {
  server = await openaiWireServer(script);
  return openaiModel("gpt-4o", { apiKey: "a-key-of-the-test", baseUrl: server.url });
}

describe("a single call of a model", () => {
  it("is made with core and a provider, and nothing else is installed or loaded for it (PKG-01)", async () => {
    expect(await ask("What is 6 times 7?")).toContain("42");
    expect((await bundle(new URL("./direct-call.ts", import.meta.url), "browser")).packages).toEqual([
      "@tinyagents/core",
      "@tinyagents/provider-mock",
    ]);
  });

  it("is the same with another provider (PKG-01)", async () => {
    expect(await ask("Hi", await served(["Hello."]))).toBe("Hello.");
    server?.assertDone();
  });
});

describe("a loop of a model and tools", () => {
  it("is made with the harness, and with no other package of ours (PKG-01)", async () => {
    const run = await calculate("What is 6 times 7?");
    trajectory(run, { strict: true }).modelCalled().toolCalled("multiply", { a: 6, b: 7 }).modelCalled().completed();
    expect(run.text).toContain("42");
    const { packages } = await bundle(new URL("./tool-loop.ts", import.meta.url), "browser");
    expect(packages.filter((name) => name.startsWith("@tinyagents/"))).toEqual([
      "@tinyagents/core",
      "@tinyagents/harness",
      "@tinyagents/provider-mock",
    ]);
  });

  it("is the same with another provider (PKG-01)", async () => {
    const model = await served([{ toolCalls: [{ name: "multiply", args: { a: 6, b: 7 } }] }, "It is 42."]);
    const run = await calculate("What is 6 times 7?", model);
    trajectory(run, { strict: true }).modelCalled().toolCalled("multiply", { a: 6, b: 7 }).modelCalled().completed();
    expect(run.text).toBe("It is 42.");
    server?.assertDone();
  });
});
