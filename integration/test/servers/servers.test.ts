import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type NodeProgram, nodeProgram } from "../support/node-program.js";

let program: NodeProgram;

beforeEach(async () => {
  vi.stubEnv("POSTGRES_URL", "");
  program = await nodeProgram(new URL("./program.ts", import.meta.url));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await program.remove();
});

/** Waits, as long as the test may take, until a file is gone. */
async function gone(path: string): Promise<void> {
  while (existsSync(path)) await pause(20);
}

describe("a server for tests", () => {
  it("ends, and its data is gone, when the process that started it is killed", async ({ skip }) => {
    const running = program.start([]);
    while (running.lines.length === 0) await pause(20);
    const [url = ""] = running.lines;
    skip(url.startsWith("none: "), url);
    const folder = decodeURIComponent(/@([^/]+)\//.exec(url)?.[1] ?? "");
    expect(existsSync(folder)).toBe(true);
    await running.kill();
    await gone(folder);
  });
});
