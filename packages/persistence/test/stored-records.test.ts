import { readFileSync } from "node:fs";
import type { JsonValue, Store } from "@tinyagents/core";
import { expect, it } from "vitest";
import { artifactIndex, runStatusStore, taskStore } from "../src/index.js";

function sample(name: string): JsonValue {
  return JSON.parse(readFileSync(new URL(`./samples/${name}.json`, import.meta.url), "utf8")) as JsonValue;
}

/** A store in which there is one record, under every key. */
function storeOf(value: JsonValue): Store {
  const get: Store["get"] = async (key) => ({
    key,
    value: { type: "json", value },
    version: "7",
    attributes: {},
    updatedAtMs: 0,
  });
  return { get, put: async () => "8" } as unknown as Store;
}

it("reads the status of a run that was written in format 1", async () => {
  const found = await runStatusStore(storeOf(sample("run-status.v1"))).get("sample");
  expect(found).toEqual({ status: sample("run-status.v1"), version: "7" });
  expect(found?.status).toMatchObject({ state: "paused", requests: [{ id: "q1" }], context: { pressure: 0.5 } });
});

it("refuses the status of a run that is damaged, or of a later format, and names the place (DG-04)", async () => {
  const status = sample("run-status.v1") as { readonly [name: string]: JsonValue };
  const read = (change: { readonly [name: string]: JsonValue }) =>
    runStatusStore(storeOf({ ...status, ...change })).get("sample");
  await expect(read({ v: 2 })).rejects.toMatchObject({ code: "version_mismatch", details: { found: 2 } });
  await expect(read({ counters: { retries: "1" } })).rejects.toMatchObject({
    code: "corrupt_data",
    details: { place: 'status of run "sample".counters.failedModelCalls' },
  });
  await expect(read({ state: "gone" })).rejects.toMatchObject({ code: "corrupt_data" });
});

it("reads a task that was written in format 1", async () => {
  const task = await taskStore(storeOf(sample("task.v1"))).get("sample");
  expect(task).toEqual(sample("task.v1"));
  expect(task).toMatchObject({ state: "running", lease: { fence: 2 }, messages: [{ id: "m2" }] });
});

it("refuses a task that is damaged, or of a later format, and names the place (DG-04)", async () => {
  const task = sample("task.v1") as { readonly [name: string]: JsonValue };
  const read = (change: { readonly [name: string]: JsonValue }) =>
    taskStore(storeOf({ ...task, ...change })).get("sample");
  await expect(read({ v: 2 })).rejects.toMatchObject({ code: "version_mismatch", details: { found: 2 } });
  await expect(read({ lease: { by: "w" } })).rejects.toMatchObject({
    code: "corrupt_data",
    details: { place: 'task "sample".lease.fence' },
  });
});

it("reads the entry of an artifact that was written in format 1", async () => {
  const store = storeOf(sample("artifact.v1"));
  const artifact = await artifactIndex(store, { content: store }).get(["r1", "c1", "0"]);
  expect(artifact).toEqual(sample("artifact.v1"));
});

it("refuses the entry of an artifact that is damaged, or of a later format, and names the place (DG-04)", async () => {
  const entry = sample("artifact.v1") as { readonly [name: string]: JsonValue };
  const read = (change: { readonly [name: string]: JsonValue }) => {
    const store = storeOf({ ...entry, ...change });
    return artifactIndex(store, { content: store }).get(["k"]);
  };
  await expect(read({ v: 2 })).rejects.toMatchObject({ code: "version_mismatch", details: { found: 2 } });
  await expect(read({ sha256: "abc" })).rejects.toMatchObject({
    code: "corrupt_data",
    details: { place: expect.stringMatching(/^entry of artifact .*sha256$/) },
  });
});
