import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@tinyagents/harness";
import { mockModel } from "@tinyagents/provider-mock";
import { expect, it } from "vitest";
import { tempFolder } from "../../test/temp-folder.js";
import { keepRun, readRun } from "./keep-run.js";

async function someState() {
  return (await createAgent({ name: "a", model: mockModel() }).invoke("2 + 2")).state;
}

it("a run that was kept is read back as it was, in place of an older one", async () => {
  const file = join(tempFolder({ "run.json": "old" }), "run.json");
  const state = await someState();
  await keepRun(file, state);
  expect(await readRun(file)).toEqual(JSON.parse(JSON.stringify(state)));
});

it("nothing is left behind when a run cannot be kept", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "run.json"));
  await expect(keepRun(join(folder, "run.json"), await someState())).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(["run.json"]);
});

it("a file that is no regular one, or too large, is refused in one line", async () => {
  const folder = tempFolder({ "big.json": "" });
  truncateSync(join(folder, "big.json"), 64 * 1024 * 1024 + 1);
  execFileSync("sh", ["-c", 'mkfifo "$0"', join(folder, "pipe")]);
  for (const [file, message] of [
    [join(folder, "big.json"), /^--resume: .* more than 64 MB\.$/],
    [join(folder, "pipe"), /^--resume: .* not a regular file\.$/],
    ["/dev/zero", /^--resume: .* not a regular file\.$/],
    [folder, /^--resume: .* a folder\.$/],
  ] as const) {
    await expect(readRun(file)).rejects.toMatchObject({
      name: "UsageError",
      message: expect.stringMatching(message),
    });
  }
});

it("a file that was cut short is refused", async () => {
  const file = join(tempFolder(), "run.json");
  const text = JSON.stringify(await someState());
  for (const length of [0, 1, Math.floor(text.length / 2), text.length - 1]) {
    writeFileSync(file, text.slice(0, length));
    await expect(readRun(file)).rejects.toMatchObject({ name: "UsageError" });
  }
});
