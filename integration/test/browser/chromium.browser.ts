import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectedReport } from "../portable/expected.js";
import { bundle } from "../support/bundle.js";
import type { PageAnswer } from "./page.js";
import { type Served, serve } from "./serve.js";

const EXECUTABLE = process.env.TINYAGENTS_CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let served: Served | undefined;
let profile: string | undefined;
let browser: BrowserContext | undefined;

beforeAll(async () => {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(
      `There is no browser at ${EXECUTABLE}. Install Debian's chromium, or name another in TINYAGENTS_CHROMIUM.`,
    );
  }
  served = await serve((await bundle(new URL("./page.ts", import.meta.url), "browser")).code);
  profile = await mkdtemp(join(tmpdir(), "tinyagents-chromium-"));
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE,
    args: FLAGS,
    chromiumSandbox: false,
  });
});

afterAll(async () => {
  await browser?.close();
  await served?.close();
  if (profile !== undefined) await rm(profile, { recursive: true, force: true });
});

async function open(): Promise<PageAnswer & { readonly problems: readonly string[] }> {
  const problems: string[] = [];
  const page = await (browser as BrowserContext).newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(served?.url ?? "");
  await page.waitForFunction(() => window.answer !== undefined);
  const answer = (await page.evaluate(() => window.answer)) as PageAnswer;
  await page.close();
  return { ...answer, problems };
}

it("agents run in a browser as they do in Node: tools, streams, output, memory, cancellation, approval", async () => {
  const { report, error, problems } = await open();
  expect({ error, problems }).toEqual({ error: undefined, problems: [] });
  expect(report).toEqual(expectedReport("cfworker"));
});

it("they try nothing that a strict page forbids: no code from texts, no connection", async () => {
  const { violations, forbidsCodeGeneration } = await open();
  expect(forbidsCodeGeneration).toBe(true);
  expect(violations).toEqual([]);
  expect(served?.paths.filter((path) => path !== "/" && path !== "/page.js" && path !== "/favicon.ico")).toEqual([]);
});
