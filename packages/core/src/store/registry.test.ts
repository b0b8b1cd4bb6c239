import { describe, expect, test } from "vitest";
import { thrownBy } from "../../test/support.js";
import type { AppendStore } from "./append-store.js";
import { storeRegistry } from "./registry.js";
import type { Store } from "./store.js";

const memory = { name: "memory" } as unknown as Store;
const files = { name: "files" } as unknown as Store;
const log = { name: "log" } as unknown as AppendStore;
const registry = storeRegistry({ stores: { memory, artifacts: files }, logs: { memory: log, audit: log } });

describe("the stores of a run (STO-04)", () => {
  test("are found by name, each with its own backend, keyed or append", () => {
    expect(registry.store("memory")).toBe(memory);
    expect(registry.store("artifacts")).toBe(files);
    expect(registry.log("memory")).toBe(log);
    expect(["memory", "artifacts", "audit", "cache"].map((name) => registry.has(name))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("that are not there are an error that says which there are", async () => {
    expect(await thrownBy(() => registry.store("audit"))).toMatchObject({
      code: "invalid_request",
      message: 'There is no store named "audit". There are: memory, artifacts.',
      details: { reason: "unknown_namespace" },
    });
    expect(() => registry.log("cache")).toThrow('There is no log named "cache". There are: memory, audit.');
    expect(() => storeRegistry({}).log("x")).toThrow("No log is registered.");
  });

  test("are never an inherited property", () => {
    expect(() => registry.store("constructor")).toThrow(/no store/);
    expect(registry.has("toString")).toBe(false);
  });
});
