import { type BlobStoreSubject, blobStoreChecks, blobStoreUnderTest, checkBlobStore } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import { runCommand } from "../src/command.js";
import { blobFaults } from "./blob-faults.js";
import { type BlobFault, blobPlace } from "./memory-blobs.js";
import { runOne } from "./run-one.js";

const NAMES = blobStoreChecks.map(({ name }) => name);

function subject(fault?: BlobFault, claims: { readonly durable?: boolean } = {}): BlobStoreSubject {
  return { name: "memory", create: () => blobPlace(fault, claims) };
}

describe("CNF-04 the suite of blobs", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(blobFaults).sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound store", async () => {
    const report = await checkBlobStore(subject());
    expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
    expect(report).toMatchObject({ subject: "memory", ok: true, passed: NAMES.length });
  });

  it("skips what a store does not claim, or cannot, with the reason", async () => {
    const bare: BlobStoreSubject = {
      name: "bare",
      create: () => ({ open: async () => ({ store: (await blobPlace(undefined, { durable: false }).open()).store }) }),
    };
    const { results } = await checkBlobStore(bare);
    expect(results.filter(({ status }) => status !== "passed").map(({ message }) => message)).toEqual([
      "this store has nothing to close",
      "the store does not claim durable",
    ]);
  });

  it("is run by the command", async () => {
    const out: string[] = [];
    const io = {
      cwd: ".",
      load: async () => ({ subject: subject() }),
      out: (text: string) => out.push(text),
      err: out.push,
    };
    expect(await runCommand(["blobs", "x.ts"], io as never)).toBe(0);
    expect(out.at(-1)?.split("\n").at(-1)).toBe(`${NAMES.length} passed, 0 failed, 0 skipped`);
  });
});

describe("a store of blobs with one fault is found out by the check (CNF-04)", () => {
  for (const [name, fault] of Object.entries(blobFaults)) {
    it(name, async () => {
      const result = await runOne(blobStoreChecks, name, () => blobStoreUnderTest(subject(fault)));
      expect(result).toMatchObject({ status: "failed", message: expect.any(String) });
      expect(result.message).not.toContain("was not done within");
    });
  }
});
