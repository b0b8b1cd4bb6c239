import { anthropicWireServer, ollamaWireServer, openaiWireServer } from "@tinyagents/testkit/wire";
import { describe, expect, it, onTestFinished } from "vitest";
import { FILES, QUESTION, toolCallsIn } from "./demo-files.js";
import { type Ended, run } from "./run-program.js";
import { tempFolder } from "./temp-folder.js";

const FOOTER = /\n[\d,]+ tokens in, [\d,]+ out.* \| unpriced \| \d+ model calls?, \d+ tool calls? \| \d+\.\d s\n$/;

/** One clear line on stderr, no stack trace, nothing of a run on stdout. */
function expectRefusal({ code, stdout, stderr }: Ended, message: RegExp): void {
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stdout).toBe("");
  expect(code).toBe(2);
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
    for (const flag of ["--dir", "--model", "--thread", "--store", "OPENAI_API_KEY"]) expect(stdout).toContain(flag);
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
    ["a thread without a name", ["--thread", ""], /--thread needs a name/],
    ["a kind of store that is not known", ["--store", "redis:x"], /--store: sqlite:FILE/],
    ["a store without its place", ["--store", "sqlite:"], /--store: sqlite:FILE/],
    ["a place for a store that needs none", ["--store", "memory:x"], /--store: sqlite:FILE/],
    ["a file that is no database", ["--store", "sqlite:oars.md"], /--store: sqlite cannot be opened: .*oars\.md/],
    [
      "a server that is not there",
      ["--store", "postgres://127.0.0.1:1/x"],
      /--store: postgres cannot be opened: .*ECONNREFUSED/,
    ],
    ["an address that is none", ["--store", "mongodb:x"], /--store: mongodb cannot be opened/],
    ["a file in place of a folder of JSON lines", ["--store", "jsonl:oars.md"], /--store: jsonl cannot be opened/],
  ])("%s", async (_, args, message) => {
    expectRefusal(await run("demo", args, { cwd: tempFolder(FILES) }), message);
  });
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
