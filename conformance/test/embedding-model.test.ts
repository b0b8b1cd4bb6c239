import { checkEmbeddingModel, embeddingModelChecks, embeddingModelUnderTest } from "@tinyagents/conformance";
import { describe, expect, it } from "vitest";
import { embeddingFaults } from "./embedding-faults.js";
import { memoryEmbeddings } from "./memory-embeddings.js";
import { runOne } from "./run-one.js";

const NAMES = embeddingModelChecks.map(({ name }) => name);

describe("EMB-01 the embedding suite", () => {
  it("has a name of its own for every check, and a fault that it must find", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(Object.keys(embeddingFaults).sort()).toEqual(NAMES.toSorted());
  });

  it("passes a sound model", async () => {
    const report = await checkEmbeddingModel(memoryEmbeddings());
    expect(report.results.filter(({ status }) => status !== "passed")).toEqual([]);
    expect(report).toMatchObject({ subject: "memory", ok: true, passed: NAMES.length, failed: 0, skipped: 0 });
  });

  it("skips what cannot arise, and what nobody records, and says why", async () => {
    const { wire: _, ...alone } = memoryEmbeddings();
    const report = await checkEmbeddingModel({ ...alone, cannot: { dimensions: "its vectors have one length" } });
    const skipped = report.results.filter(({ status }) => status === "skipped").map(({ message }) => message);
    expect(new Set(skipped)).toEqual(
      new Set(["its vectors have one length", "this subject has no wire that records requests"]),
    );
    expect(report.ok).toBe(true);
  });
});

describe("an embedding model with one fault is found out by the check", () => {
  for (const [name, fault] of Object.entries(embeddingFaults)) {
    it(name, async () => {
      const subject = memoryEmbeddings(fault);
      const result = await runOne(embeddingModelChecks, name, () => embeddingModelUnderTest(subject));
      expect(result).toMatchObject({ status: "failed", message: expect.any(String) });
    });
  }
});
