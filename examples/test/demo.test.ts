import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { anthropicWireServer, ollamaWireServer, openaiWireServer } from "@tinyagents/testkit/wire";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Ended, run, start } from "./run-program.js";
import { tempFolder } from "./temp-folder.js";

const FILES = {
  "oars.md": "# Oars\n\nAn oar is made of ash. A broken oar is replaced by the harbour master.",
  "sails.md": "# Sails\n\nA torn sail is mended within a day.",
};
const QUESTION = "Who replaces a broken oar?";
const FOOTER = /\n[\d,]+ tokens in, [\d,]+ out.* \| unpriced \| \d+ model calls?, \d+ tool calls? \| \d+\.\d s\n$/;

/** One clear line on stderr, no stack trace, nothing of a run on stdout. */
function expectRefusal({ code, stdout, stderr }: Ended, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stdout).toBe("");
  expect(code).toBe(2);
}

function toolCallsIn(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => line.startsWith("> "));
}

describe("the demo", () => {
  it("answers its default question about this repository's documents without key and network", async () => {
    const { code, stdout, stderr } = await run("demo", [], { cwd: tempFolder() });
    expect(stderr).toBe("");
    expect(stdout).toContain("Model: mock/rules-1 (offline and rule-based, not a language model)");
    expect(toolCallsIn(stdout).join("\n")).toMatch(/^> search_files .+\n> read_file /);
    expect(stdout).toMatch(/^(?:README\.md|docs\/\S+\.md)(?:, ".+")?:$/m);
    expect(stdout).toMatch(FOOTER);
    expect(code).toBe(0);
  });

  it("answers a question about any folder, showing the calls it makes", async () => {
    const { code, stdout } = await run("demo", ["--dir", ".", QUESTION], { cwd: tempFolder(FILES) });
    expect(toolCallsIn(stdout)).toEqual(["> search_files replaces broken oar", "> read_file oars.md"]);
    expect(stdout).toContain('oars.md, "Oars":\nA broken oar is replaced by the harbour master.');
    expect(stdout).toMatch(FOOTER);
    expect(code).toBe(0);
  });

  it("asks what a folder is about when it is given no question", async () => {
    const { code, stdout } = await run("demo", ["--dir", "."], { cwd: tempFolder(FILES) });
    expect(stdout).toContain("Question: What are these documents about?");
    expect(stdout).toContain('oars.md, "Oars":\nAn oar is made of ash.');
    expect(stdout).toContain("sails.md");
    expect(code).toBe(0);
  });

  it("reads the page that is named after what is asked", async () => {
    const { stdout } = await run("demo", ["How do I write a middleware?"], { cwd: tempFolder() });
    expect(toolCallsIn(stdout)[1]).toBe("> read_file docs/middleware.md");
    expect(stdout).toContain('docs/middleware.md, "');
  });

  it("takes a folder relative to where npm was called", async () => {
    const env = { npm_lifecycle_event: "demo", INIT_CWD: tempFolder({ "notes/oars.md": FILES["oars.md"] }) };
    const { stdout } = await run("demo", ["--dir", "notes", QUESTION], { cwd: tempFolder(), env });
    expect(stdout).toContain("harbour master");
  });

  it("writes no colours where no terminal is", async () => {
    const { stdout } = await run("demo", ["--dir", ".", QUESTION], { cwd: tempFolder(FILES) });
    expect(stdout).not.toContain("\u001b");
  });

  it("tells how it is used", async () => {
    const { code, stdout } = await run("demo", ["--help"]);
    for (const flag of ["--dir", "--model", "--resume", "--state", "OPENAI_API_KEY"]) expect(stdout).toContain(flag);
    expect(code).toBe(0);
  });

  it("says so when the documents do not have the answer", async () => {
    const { code, stdout } = await run("demo", ["--dir", ".", "zebra"], { cwd: tempFolder(FILES) });
    expect(stdout).toContain("I found no answer");
    expect(code).toBe(0);
  });
});

describe("the demo, called wrongly, says in one line what is wrong and ends with 2", () => {
  it.each<[string, readonly string[], RegExp]>([
    ["a flag that is not known", ["--nonsense"], /--nonsense/],
    ["a flag without its value", ["--dir"], /--dir/],
    ["an empty question", [""], /question is empty/],
    ["a folder that is missing", ["--dir", "gone"], /gone cannot be read: it does not exist/],
    ["a folder with a line break in its name", ["--dir", "a\nb"], /a b cannot be read/],
    ["a file in place of a folder", ["--dir", "oars.md"], /oars\.md is not a folder/],
    ["a model that is not known", ["--model", "gpt"], /"gpt" is not known/],
    ["a missing key", ["--model", "openai/gpt-5"], /OPENAI_API_KEY/],
    ["a file to resume that is missing", ["--resume", "gone.json"], /gone\.json cannot be read: it does not exist/],
    ["a folder to resume", ["--resume", "."], /cannot be read: it is a folder|is a folder, not a file/],
    ["a file to resume that is no run", ["--resume", "oars.md"], /oars\.md holds no run/],
    ["no place for the run's state", ["--state", "gone/run.json"], /gone is not a folder/],
  ])("%s", async (_, args, message) => {
    expectRefusal(await run("demo", args, { cwd: tempFolder(FILES) }), message);
  });

  it.each(["{", "[]", "null", '{"v":1}', '{"v":99,"agent":"documents"}', '{"__proto__":{}}'])(
    "a resume file with %j",
    async (text) => {
      expectRefusal(
        await run("demo", ["--resume", "run.json"], { cwd: tempFolder({ "run.json": text }) }),
        /run\.json holds no run/,
      );
    },
  );
});

describe("the demo on a model of OpenAI", () => {
  const openai = async (script: Parameters<typeof openaiWireServer>[0]) => {
    const server = await openaiWireServer(script, { apiKey: "test-key" });
    onTestFinished(() => server.close());
    return { server, env: { OPENAI_API_KEY: "test-key", OPENAI_BASE_URL: server.url } };
  };

  it("runs its tools and streams its answer", async () => {
    const { server, env } = await openai([
      { toolCalls: [{ name: "read_file", args: { path: "oars.md" } }] },
      { text: "The harbour master (oars.md).", split: "characters" },
    ]);
    const cwd = tempFolder(FILES);
    const { code, stdout, stderr } = await run("demo", ["--dir", ".", "--model", "openai/gpt-5-mini", QUESTION], {
      cwd,
      env,
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("Model: openai/gpt-5-mini\n");
    expect(stdout).toContain("> read_file oars.md\n< 3 lines  read_file oars.md\nThe harbour master (oars.md).\n");
    expect(stdout).toContain("20 tokens in, 10 out | unpriced | 2 model calls, 1 tool call");
    expect(code).toBe(0);
    server.assertDone();
  });

  it.each([
    ["anthropic", "claude-haiku-4-5", anthropicWireServer, "ANTHROPIC_BASE_URL", { ANTHROPIC_API_KEY: "test-key" }],
    ["ollama", "qwen3", ollamaWireServer, "OLLAMA_HOST", {}],
    ["groq", "llama-3.3-70b", openaiWireServer, "GROQ_BASE_URL", { GROQ_API_KEY: "test-key" }],
  ] as const)("does so on a model of %s", async (provider, name, serve, urlFrom, keys) => {
    const server = await serve([
      { toolCalls: [{ name: "read_file", args: { path: "oars.md" } }] },
      { text: "The harbour master (oars.md).", split: "characters" },
    ]);
    onTestFinished(() => server.close());
    const env = { ...keys, [urlFrom]: server.url };
    const args = ["--dir", ".", "--model", `${provider}/${name}`, QUESTION];
    const { code, stdout, stderr } = await run("demo", args, { cwd: tempFolder(FILES), env });
    expect(stderr).toBe("");
    expect(stdout).toContain(`Model: ${provider}/${name}\n`);
    expect(stdout).toContain("> read_file oars.md\n< 3 lines  read_file oars.md\nThe harbour master (oars.md).\n");
    expect(code).toBe(0);
    server.assertDone();
  });

  it("tells the model, and goes on, when a path leads out of the folder", async () => {
    const { server, env } = await openai([
      { toolCalls: [{ name: "read_file", args: { path: "../secret.md" } }] },
      "I may not read that.",
    ]);
    const cwd = tempFolder({ "docs/a.md": "x", "secret.md": "secret" });
    const { code, stdout } = await run("demo", ["--dir", "docs", "--model", "openai/m", "What is secret?"], {
      cwd,
      env,
    });
    expect(stdout).toMatch(/^! .*outside of the folder.* {2}read_file \.\.\/secret\.md$/m);
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('"secret"');
    expect(code).toBe(0);
  });

  it("ends a run that fails with one line and 1, and never shows the key", async () => {
    const { env } = await openai([{ status: 400, message: "no such\nmodel" }]);
    const failed = await run("demo", ["--model", "openai/m"], { env });
    expect(failed.stderr).toMatch(/^[^\n]*no such model[^\n]*\n$/);
    expect(failed.code).toBe(1);
    const denied = await run("demo", ["--model", "openai/m"], { env: { ...env, OPENAI_API_KEY: "wrong-key" } });
    expect(denied.stderr).toMatch(/^[^\n]+\n$/);
    expect(denied.stderr).not.toContain("wrong-key");
    expect(denied.code).toBe(1);
  });
});

describe("Ctrl-C in the demo", () => {
  it("keeps the run in a file for its owner alone, and --resume goes on without repeating a tool call", async () => {
    const cwd = tempFolder(FILES);
    const first = start("demo", ["--dir", ".", "--delay", "60", QUESTION], { cwd });
    await first.shows("A broken");
    first.interrupt();
    const stopped = await first.ended;
    const file = join(cwd, "demo-run.json");
    expect(stopped).toMatchObject({ code: 130, stderr: "" });
    expect(stopped.stdout).toContain(`Stopped. Go on with: npm run demo -- --resume "${file}"`);
    expect(toolCallsIn(stopped.stdout)).toHaveLength(2);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(cwd).sort()).toEqual(["demo-run.json", "oars.md", "sails.md"]);

    const second = await run("demo", ["--resume", "demo-run.json"], { cwd });
    expect(second).toMatchObject({ code: 0, stderr: "" });
    expect(toolCallsIn(second.stdout)).toEqual([]);
    expect(second.stdout).toContain("A broken oar is replaced by the harbour master.");
    expect(second.stdout).toMatch(/ 2 tool calls \| /);
    expect(readdirSync(cwd).sort()).toEqual(["oars.md", "sails.md"]);
  });

  it("cancels the request of a real model, and the run goes on from there", async () => {
    const cwd = tempFolder(FILES);
    const server = await openaiWireServer([
      { toolCalls: [{ name: "read_file", args: { path: "oars.md" } }] },
      { text: "never seen", gate: new Promise(() => {}) },
      "The harbour master.",
    ]);
    onTestFinished(() => server.close());
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url };
    const first = start("demo", ["--dir", ".", "--model", "openai/m", "--state", "kept.json", QUESTION], { cwd, env });
    await server.received(2);
    first.interrupt();
    expect(await first.ended).toMatchObject({ code: 130, stderr: "" });
    expect(readFileSync(join(cwd, "kept.json"), "utf8")).not.toContain("OPENAI_API_KEY");

    const second = await run("demo", ["--resume", "kept.json"], { cwd, env });
    expect(second).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("The harbour master.") });
    expect(toolCallsIn(second.stdout)).toEqual([]);
  });

  it("ends the program at once when it comes twice", async () => {
    const cwd = tempFolder(FILES);
    const server = await openaiWireServer([
      { toolCalls: [{ name: "list_files", args: {} }] },
      { text: "x", gate: new Promise(() => {}) },
    ]);
    onTestFinished(() => server.close());
    const program = start("demo", ["--dir", ".", "--model", "openai/m", QUESTION], {
      cwd,
      env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: server.url },
    });
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
    expect(stdout).toContain("Stopped. Go on with: ");
    expect(JSON.parse(readFileSync(join(cwd, "demo-run.json"), "utf8"))).toMatchObject({ v: 1, agent: "documents" });
  });

  it("prints no more than one line about where the run is, whatever its name", async () => {
    const cwd = tempFolder(FILES);
    const program = start("demo", ["--dir", ".", "--delay", "60", "--state", "a\u009b\u202eb.json", QUESTION], { cwd });
    await program.shows("A broken");
    program.interrupt();
    expect((await program.ended).stdout).toMatch(/\nStopped\. Go on with: [^\n]*\/ab\.json"\n$/);
  });

  it("says in one line that the run could not be kept", async () => {
    const cwd = tempFolder(FILES);
    const first = start("demo", ["--dir", ".", "--delay", "60", "--state", "/proc/demo-run.json", QUESTION], { cwd });
    await first.shows("A broken");
    first.interrupt();
    const { code, stderr } = await first.ended;
    expect(stderr).toMatch(/^[^\n]*\/proc\/demo-run\.json[^\n]*\n$/);
    expect(code).toBe(1);
  });

  it("leaves a state file that was there as it is until the new one is complete", async () => {
    const cwd = tempFolder({ ...FILES, "demo-run.json": "old" });
    const first = start("demo", ["--dir", ".", "--delay", "60", QUESTION], { cwd });
    await first.shows("A broken");
    expect(readFileSync(join(cwd, "demo-run.json"), "utf8")).toBe("old");
    first.interrupt();
    await first.ended;
    expect(JSON.parse(readFileSync(join(cwd, "demo-run.json"), "utf8"))).toMatchObject({ v: 1, agent: "documents" });
  });

  it("a run that is resumed in another folder than it began in looks where it began", async () => {
    const cwd = tempFolder(FILES);
    const first = start("demo", ["--dir", ".", "--delay", "60", QUESTION], { cwd });
    await first.shows("A broken");
    first.interrupt();
    await first.ended;
    const elsewhere = tempFolder();
    writeFileSync(join(elsewhere, "run.json"), readFileSync(join(cwd, "demo-run.json")));
    const second = await run("demo", ["--resume", "run.json"], { cwd: elsewhere });
    expect(second.stdout).toContain(`Documents: ${cwd}`);
    expect(second.code).toBe(0);
  });
});
