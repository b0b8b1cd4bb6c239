import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { folderAppendStore } from "./folder-append-store.js";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tinyagents-folder-store-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("the double of a shared log lets one of two appends at an offset in, and recognises a repeated one", async () => {
  const [one, other] = [folderAppendStore(folder), folderAppendStore(folder)];
  expect(await one.append("a/b", [1, 2], { expectedOffset: 0, idempotencyKey: "k" })).toBe(0);
  await expect(other.append("a/b", [3], { expectedOffset: 0 })).rejects.toMatchObject({
    code: "conflict",
    details: { expected: 0, found: 2 },
  });
  expect(await other.append("a/b", [1, 2], { expectedOffset: 0, idempotencyKey: "k" })).toBe(0);
  expect(await other.append("a/b", [3], { expectedOffset: 2 })).toBe(2);
  expect(await one.read("a/b", { from: 1 })).toEqual([
    { offset: 1, value: 2 },
    { offset: 2, value: 3 },
  ]);
  expect([await one.head("a/b"), await one.head("c"), await one.streams("a")]).toEqual([3, 0, ["a/b"]]);
});
