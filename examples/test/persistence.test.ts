import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "./run-program.js";
import { tempFolder } from "./temp-folder.js";

const KEY = "0f".repeat(32);

/** All bytes of a folder, as text. */
function bytesOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "latin1"))
    .join("");
}

describe("the persistence example", () => {
  it("keeps two tenants in one file: each sees its own, a later process too, and the file holds no word of it (SE-05)", async () => {
    const cwd = tempFolder({});
    const first = await run("persistence", ["a.db", KEY], { cwd });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(
      /^acme: 4 messages, \d+ events\nacme: runs report-1 completed\nacme: report acme sold/,
    );
    expect(first.stdout).toMatch(
      /globex: 4 messages, \d+ events\nglobex: runs report-1 completed\nglobex: report globex/,
    );
    expect(first.stdout.match(/: report /g)).toHaveLength(2);

    const again = await run("persistence", ["a.db", KEY], { cwd });
    expect(again.stdout.replaceAll(/\w+: nothing is to be done\n/g, "")).toBe(first.stdout);

    const next = await run("persistence", ["a.db", KEY, "report-2"], { cwd });
    expect(next.stdout).toMatch(/acme: 8 messages, \d+ events\nacme: runs report-1 completed, report-2 completed\n/);
    const bytes = bytesOf(cwd);
    expect(bytes).toContain("report-1");
    for (const word of ["oars", "sales of", "is kept", "Report the"]) expect(bytes).not.toContain(word);
  });

  it("says what is wrong with another key, and how it is called", async () => {
    const cwd = tempFolder({});
    expect(await run("persistence", ["a.db"], { cwd })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Usage"),
    });
    await run("persistence", ["a.db", KEY], { cwd });
    const other = await run("persistence", ["a.db", "00".repeat(32)], { cwd });
    expect(other.code).not.toBe(0);
    expect(other.stderr).toContain("corrupt_data");
  });
});
