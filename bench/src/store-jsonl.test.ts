import { access, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { measureJsonl } from "./store-jsonl-workload.js";

it("measures rounds of appends and rounds by hand, and leaves nothing behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tinyagents-bench-jsonl-"));
  const { writers, appendMs, byHandMs, ratio } = await measureJsonl(folder, 3, 5);
  expect(writers).toBe(3);
  for (const number of [appendMs, byHandMs, ratio]) expect(number).toBeGreaterThan(0);
  await expect(access(folder)).rejects.toMatchObject({ code: "ENOENT" });
});
