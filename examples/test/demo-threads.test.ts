import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jsonlBackend } from "@tinyagents/store-jsonl";
import { type NoServer, startMongodb, startPostgres, type TestServer } from "@tinyagents/testkit/servers";
import { openaiWireServer } from "@tinyagents/testkit/wire";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { unfinishedRun } from "../src/demo/unfinished.js";
import { FILES, QUESTION, toolCallsIn } from "./demo-files.js";
import { run, start } from "./run-program.js";
import { tempFolder } from "./temp-folder.js";

const servers = await Promise.all([startMongodb(), startPostgres()]);
const [mongodb, postgres] = servers;
afterAll(() => Promise.all(servers.map((server) => server.available && server.stop())));

/** Where the demo keeps what it is told to keep. Files are in the folder of the test. */
const DURABLE: readonly { readonly kind: string; readonly store: string; readonly missing?: string }[] = [
  { kind: "sqlite", store: "sqlite:.kept.db" },
  { kind: "jsonl", store: "jsonl:.kept" },
  { kind: "mongodb", ...placeOn(mongodb) },
  { kind: "postgres", ...placeOn(postgres) },
];

function placeOn(server: TestServer | NoServer): { readonly store: string; readonly missing?: string } {
  return server.available ? { store: server.url } : { store: "", missing: server.reason };
}

async function openai(script: Parameters<typeof openaiWireServer>[0]) {
  const server = await openaiWireServer(script);
  onTestFinished(() => server.close());
  return { server, env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url } };
}

/** What a model was sent, as one text. */
function sent(server: Awaited<ReturnType<typeof openaiWireServer>>, at: number): string {
  return JSON.stringify(server.requests[at]?.body);
}

describe("threads of the demo", () => {
  it.for(DURABLE)(
    "go on in a new process, and know of nothing in another thread: $kind",
    async ({ store, missing }, { skip }) => {
      if (missing !== undefined) skip(missing);
      const { server, env } = await openai(["The harbour master.", "Ash.", "Who knows."]);
      const cwd = tempFolder(FILES);
      const ask = (thread: string, question: string) =>
        run("demo", ["--dir", ".", "--model", "openai/m", "--store", store, "--thread", thread, question], {
          cwd,
          env,
        });
      await ask("harbour", QUESTION);
      const second = await ask("harbour", "And what is it made of?");
      await ask("another", "What did I ask?");
      expect(second).toMatchObject({ code: 0, stderr: "" });
      expect(sent(server, 1)).toContain("The harbour master.");
      expect(sent(server, 1)).toContain("And what is it made of?");
      expect(sent(server, 2)).not.toContain("harbour master");
    },
  );

  it("are kept in an SQLite file of the folder where the demo was called, for its owner alone", async () => {
    const cwd = tempFolder(FILES);
    const { stdout } = await run("demo", ["--dir", ".", "--thread", "a", QUESTION], { cwd });
    expect(stdout).toContain(`Kept in: sqlite:${join(cwd, ".tinyagents", "demo.db")}, thread a\n`);
    expect(statSync(join(cwd, ".tinyagents")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(cwd, ".tinyagents"))).toContain("demo.db");
  });

  it("are kept as lines of JSON where SQLite cannot be loaded, and the demo says so", async () => {
    const cwd = tempFolder(FILES);
    const broken = tempFolder({
      "broken.mjs": `import Module from "node:module";
        const load = Module._load;
        Module._load = (name, ...more) => { if (name === "better-sqlite3") throw new Error("no such binary"); return load(name, ...more); };`,
    });
    const env = { NODE_OPTIONS: `--import=${join(broken, "broken.mjs")}` };
    const { code, stdout } = await run("demo", ["--dir", ".", "--thread", "a", QUESTION], { cwd, env });
    expect(stdout).toMatch(
      /^SQLite cannot be loaded here \(.*no such binary.*\), so a folder of JSON lines is used\.\n/,
    );
    expect(stdout).toContain(`Kept in: jsonl:${join(cwd, ".tinyagents", "demo")}, thread a\n`);
    expect(code).toBe(0);
  });

  it("are forgotten with the process where they are kept in memory", async () => {
    const { server, env } = await openai(["The harbour master.", "Who knows."]);
    const args = ["--dir", ".", "--model", "openai/m", "--store", "memory", "--thread", "a"];
    const cwd = tempFolder(FILES);
    await run("demo", [...args, QUESTION], { cwd, env });
    await run("demo", [...args, "What did I ask?"], { cwd, env });
    expect(sent(server, 1)).not.toContain("harbour master");
    expect(readdirSync(cwd).sort()).toEqual(["oars.md", "sails.md"]);
  });
});

describe("a run of the demo that is killed", () => {
  it.for(DURABLE)(
    "goes on when the demo is called again, and repeats no finished tool call: $kind",
    async ({ store, missing }, { skip }) => {
      if (missing !== undefined) skip(missing);
      const { server, env } = await openai([
        { toolCalls: [{ name: "read_file", args: { path: "oars.md" } }] },
        { text: "never seen", gate: new Promise(() => {}) },
        "The harbour master.",
        "Ash.",
      ]);
      const cwd = tempFolder(FILES);
      const args = ["--model", "openai/m", "--store", store, "--thread", `a ${randomUUID()}`];
      const first = start("demo", [...args, "--dir", ".", QUESTION], { cwd, env });
      await server.received(2);
      first.interrupt("SIGKILL");
      await first.ended;
      // What was read is on record: the file may change meanwhile.
      writeFileSync(join(cwd, "oars.md"), "changed");

      const second = await run("demo", [...args, "What is it made of?"], { cwd, env });
      expect(second).toMatchObject({ code: 0, stderr: "" });
      expect(second.stdout).toContain(`Documents: ${cwd}`);
      expect(second.stdout).toContain(`Going on with the stopped run. Its question: ${QUESTION}\n`);
      expect(toolCallsIn(second.stdout)).toEqual([]);
      expect(second.stdout).toMatch(/The harbour master\.\n[\s\S]*Question: What is it made of\?\n\nAsh\./);
      expect(sent(server, 2)).toContain("replaced by the harbour master");
      server.assertDone();
    },
  );

  it("is begun anew, under its id, when nothing of it was recorded", async () => {
    const cwd = tempFolder(FILES);
    const { store, close } = jsonlBackend({ folder: join(cwd, ".kept") });
    await unfinishedRun(store, "a").note({ runId: "run-1", question: QUESTION });
    await close();
    const args = ["--dir", ".", "--store", "jsonl:.kept", "--thread", "a"];
    const { code, stdout } = await run("demo", args, { cwd });
    expect(stdout).toContain(`Going on with the stopped run. Its question: ${QUESTION}\n`);
    expect(toolCallsIn(stdout)).toHaveLength(2);
    expect(stdout).toContain("replaced by the harbour master");
    expect(code).toBe(0);
  });
});

describe("Ctrl-C in the demo", () => {
  it.each(DURABLE.slice(0, 2))(
    "keeps the run, and the same command goes on without repeating a tool call: $kind",
    async ({ store }) => {
      const cwd = tempFolder(FILES);
      const args = ["--dir", ".", "--store", store];
      const first = start("demo", [...args, "--delay", "60", QUESTION], { cwd });
      await first.shows("A broken");
      first.interrupt();
      const stopped = await first.ended;
      expect(stopped).toMatchObject({ code: 130, stderr: "" });
      expect(stopped.stdout).toMatch(/\nStopped\. The same command goes on with it\.\n$/);
      expect(toolCallsIn(stopped.stdout)).toHaveLength(2);

      const second = await run("demo", [...args, QUESTION], { cwd });
      expect(second).toMatchObject({ code: 0, stderr: "" });
      expect(toolCallsIn(second.stdout)).toEqual([]);
      expect(second.stdout).toContain("A broken oar is replaced by the harbour master.");
      expect(second.stdout).toMatch(/ 2 tool calls \| /);

      const third = await run("demo", [...args, QUESTION], { cwd });
      expect(toolCallsIn(third.stdout)).toHaveLength(2);
    },
  );

  it("says that a run that was kept in memory is gone", async () => {
    const program = start("demo", ["--dir", ".", "--store", "memory", "--delay", "60", QUESTION], {
      cwd: tempFolder(FILES),
    });
    await program.shows("A broken");
    program.interrupt();
    expect((await program.ended).stdout).toMatch(/\nStopped\. It was kept in memory alone, and is gone\.\n$/);
  });

  it("ends the program at once when it comes twice", async () => {
    const { server, env } = await openai([
      { toolCalls: [{ name: "list_files", args: {} }] },
      { text: "x", gate: new Promise(() => {}) },
    ]);
    const program = start("demo", ["--dir", ".", "--model", "openai/m", QUESTION], { cwd: tempFolder(FILES), env });
    await server.received(2);
    program.interrupt();
    program.interrupt();
    expect((await program.ended).code).toBe(130);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends after %s when a read hangs, with the run kept", async (signal) => {
    const cwd = tempFolder(FILES);
    const hang = `import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      const { open } = fs.promises;
      fs.promises.open = (path, ...more) => {
        if (!String(path).endsWith("oars.md")) return open(path, ...more);
        process.stdout.write("it hangs");
        return open(new URL("pipe", import.meta.url));
      };
      syncBuiltinESMExports();`;
    const outside = tempFolder({ "hang.mjs": hang });
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(outside, "pipe")]);
    const env = { NODE_OPTIONS: `--import=${join(outside, "hang.mjs")}` };
    const program = start("demo", ["--dir", ".", "--delay", "60", QUESTION], { cwd, env });
    await program.shows("it hangs");
    program.interrupt(signal);
    const { stdout, ...ended } = await program.ended;
    expect(ended).toEqual({ code: null, signal: "SIGINT", stderr: "" });
    expect(stdout).toContain("Stopped. The same command goes on with it.");
    expect((await run("demo", ["--dir", "."], { cwd })).stdout).toContain("Going on with the stopped run.");
  });
});
