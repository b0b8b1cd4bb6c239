import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { GUARD } from "./guarded-process.js";

it("takes the folder away when nobody listens any more, also where the process had to be killed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tinyagents-guard-"));
  const shell = spawn("sh", ["-c", GUARD, "sh", folder, "KILL", "sleep", "600"], { stdio: ["pipe", "ignore", "pipe"] });
  shell.stderr.destroy();
  await sleep(100);
  shell.stdin.destroy();
  await once(shell, "exit");
  expect(existsSync(folder)).toBe(false);
});
