import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileAppendStore } from "./file-append-store.js";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tinyagents-file-store-"));
  file = join(folder, "log.jsonl");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("the double of a durable log has in a later process what was acknowledged in an earlier one, keys included", async () => {
  const first = await fileAppendStore(file);
  await first.append("s", [1, { two: "zwei\n" }], { idempotencyKey: "k", expectedOffset: 0 });
  await expect(first.append("s", [3], { expectedOffset: 0 })).rejects.toMatchObject({ code: "conflict" });
  const second = await fileAppendStore(file);
  expect(await second.read("s")).toEqual(await first.read("s"));
  expect(await second.append("s", [1, { two: "zwei\n" }], { idempotencyKey: "k" })).toBe(0);
  expect(await second.head("s")).toBe(2);
});

it("it drops what a killed process had begun to write, and goes on after what is whole", async () => {
  const first = await fileAppendStore(file);
  await first.append("s", ["ä"]);
  await appendFile(file, '{"stream":"s","val');
  const second = await fileAppendStore(file);
  await second.append("s", ["b"]);
  const third = await fileAppendStore(file);
  expect((await third.read("s")).map(({ value }) => value)).toEqual(["ä", "b"]);
});
