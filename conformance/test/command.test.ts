import { fileURLToPath } from "node:url";
import { agentStreamChecks, appendStoreChecks, embeddingModelChecks, storeChecks } from "@tinyagents/conformance";
import { createJiti } from "jiti";
import { describe, expect, it } from "vitest";
import { runCommand } from "../src/command.js";
import { memoryAgent } from "./memory-agent.js";
import { memoryEmbeddings } from "./memory-embeddings.js";
import { logPlace } from "./memory-log.js";
import { storePlace } from "./memory-store.js";
import { memorySubject } from "./memory-subject.js";
import { needsOneProcess } from "./run-one.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const SILENT = fileURLToPath(new URL("./silent-subject.ts", import.meta.url));

async function command(
  args: readonly string[],
  load: (path: string) => Promise<unknown> = (path) => createJiti(import.meta.url).import(path),
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(args, {
    cwd: HERE,
    load,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

function sums(checks: readonly { readonly needs?: readonly string[] }[]): string {
  const asked = checks.filter(needsOneProcess).length;
  return `${asked} passed, 0 failed, ${checks.length - asked} skipped`;
}

const sound = async (): Promise<unknown> => ({ subject: memorySubject() });

describe("the command", () => {
  it("prints a table, and ends with 0 when every promise is kept", async () => {
    const { code, out } = await command(["model", "subject.ts"], sound);
    expect(code).toBe(0);
    expect(out).toMatch(/0 failed, 0 skipped$/);
  });

  it("runs the suites of streams and of embeddings", async () => {
    const stream = await command(["stream", "subject.ts"], async () => ({ subject: memoryAgent() }));
    expect([stream.code, stream.out.split("\n").at(-1)]).toEqual([0, sums(agentStreamChecks)]);
    const embeddings = await command(["embeddings", "x.ts", "--json"], async () => ({ subject: memoryEmbeddings() }));
    expect(embeddings.code).toBe(0);
    expect(JSON.parse(embeddings.out)).toMatchObject({
      subject: "memory",
      ok: true,
      passed: embeddingModelChecks.length,
    });
  });

  it("runs the suites of stores and of logs", async () => {
    const store = await command(["store", "x.ts"], async () => ({
      subject: { name: "m", create: () => storePlace() },
    }));
    expect([store.code, store.out.split("\n").at(-1)]).toEqual([0, sums(storeChecks)]);
    const log = await command(["log", "x.ts"], async () => ({ subject: { name: "m", create: () => logPlace() } }));
    expect([log.code, log.out.split("\n").at(-1)]).toEqual([0, sums(appendStoreChecks)]);
  });

  it.each<[string, unknown, string]>([
    ["model", undefined, "the subject's create gave undefined: a model with an id, a profile and a stream is expected"],
    ["model", { id: "x" }, "the subject's create gave an object that is none: a model with an id"],
    ["embeddings", null, "the subject's create gave null: a model with embedDocuments and embedQuery is expected"],
    ["embeddings", "gpt", "the subject's create gave a string: a model with embedDocuments"],
  ])("says so where the subject of %s gives %o", async (suite, given, sentence) => {
    const load = async () => ({ subject: { name: "m", create: () => given } });
    const { code, out } = await command([suite, "x.ts"], load);
    expect(code).toBe(1);
    expect(out).toContain(sentence);
    expect(out).not.toContain("TypeError");
    expect(out).not.toContain("Cannot read");
  });

  it("loads a subject that is written in TypeScript, and ends with 1 when it fails", async () => {
    const { code, out } = await command(["model", SILENT, "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ subject: "silent", ok: false });
  });

  it("takes the export that it is told, also in other processes", async () => {
    const load = async () => ({ other: { ...memorySubject(), name: "another" } });
    expect((await command(["model", "x.ts", "--export", "other"], load)).out).toMatch(/^another\n/);
    const kills = ["chaos", "./journal-subject.ts", "--export", "another", "--kills", "1", "--kills-per-place", "1"];
    expect(await command(kills)).toMatchObject({ code: 0, out: expect.stringMatching(/^journal, seed 1\n/) });
  });

  it("ends with 2, and one clear line, when it is used wrongly", async () => {
    const wrong: [string[], string][] = [
      [[], "a suite is expected"],
      [["shop", "x.ts"], "unknown suite: shop"],
      [["model"], "a file is expected"],
      [["model", "x.ts", "--fast"], "unknown argument: --fast"],
      [["model", "x.ts", "y.ts"], "unknown argument: y.ts"],
      [["model", "./missing.ts"], "cannot load ./missing.ts"],
      [["model", "./faults.ts", "--export"], "a name is expected after --export"],
      [["model", "./faults.ts", "--export", "mine"], "exports no `mine` with a name and a create function"],
      [["model", "./faults.ts"], "exports no `subject` with a name and a create function"],
      [["stream", "./faults.ts"], "exports no `subject` with a name and a stream function"],
    ];
    for (const [args, message] of wrong) {
      const load = args[1] === "./faults.ts" ? async () => ({}) : undefined;
      const { code, out, err } = await command(args, load);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain(message);
      expect(err.split("\n")).toHaveLength(1);
    }
  });

  it("explains itself", async () => {
    expect(await command(["--help"])).toMatchObject({ code: 0, out: expect.stringContaining("Usage") });
  });
});
