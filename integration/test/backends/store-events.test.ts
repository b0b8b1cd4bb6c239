import {
  type AgentEvent,
  observeStores,
  type StoreEvent,
  storeRegistry,
  TinyAgentsError,
  tool,
} from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import { memoryAppendStore, memoryStore } from "@tinyagents/store-memory";
import { eventRecorder, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { onBackends } from "./on-backends.js";

const CANARY = "canary-77d0";

function short({ type, data }: StoreEvent): string {
  return `${type} ${data.kind} ${data.namespace} ${data.operation} ${data.key.join("/")}`;
}

onBackends("what is done in the stores of a registry (STO-14, REG-06)", (opened) => {
  it("is told with namespace and key once it is done, and never with a value", async () => {
    const told: StoreEvent[] = [];
    const { store, log } = opened().backend;
    const registry = storeRegistry({
      stores: { notes: store },
      logs: { audit: log },
      onEvent: (event) => told.push(event),
    });
    const notes = registry.store("notes");
    const audit = registry.log("audit");
    const version = await notes.put(["a", "1"], { type: "text", text: CANARY }, { attributes: { x: CANARY } });
    await notes.get(["a", "1"]);
    await notes.list({ prefix: ["a"] });
    await notes.batch([
      { type: "put", key: ["b"], value: { type: "text", text: CANARY } },
      { type: "delete", key: ["a", "1"], options: { ifVersion: version } },
    ]);
    await notes.delete(["b"]);
    await audit.append("s", [CANARY]);
    await audit.read("s");
    await audit.head("s");
    await audit.streams("s");
    await audit.truncate("s", { before: 1 });
    await audit.delete("s");
    await expect(notes.put(["c"], { type: "text", text: CANARY }, { ifVersion: version })).rejects.toThrow();
    expect(told.map(short)).toEqual([
      "store.write store notes put a/1",
      "store.read store notes get a/1",
      "store.read store notes list a",
      "store.write store notes batch b",
      "store.delete store notes batch a/1",
      "store.delete store notes delete b",
      "store.append log audit append s",
      "store.read log audit read s",
      "store.read log audit head s",
      "store.read log audit streams s",
      "store.delete log audit truncate s",
      "store.delete log audit delete s",
      "store.error store notes put c",
    ]);
    expect(told.at(-1)?.data).toMatchObject({ code: "conflict" });
    expect(JSON.stringify(told)).not.toContain(CANARY);
  });
});

describe("what is told of keys (STO-15, SE-08)", () => {
  it("is what the rule of their namespace leaves, and nothing that looks like a secret", async () => {
    const told: StoreEvent[] = [];
    const registry = storeRegistry({
      stores: { users: memoryStore(), other: memoryStore(), broken: memoryStore() },
      redactKeys: {
        users: ([kind = "", ...rest]) => [kind, ...rest.map(() => "*")],
        broken: () => {
          throw new Error(CANARY);
        },
      },
      onEvent(event) {
        told.push(event);
        throw new Error("whoever watches must not break it");
      },
    });
    const value = { type: "text", text: "x" } as const;
    await registry.store("users").put(["mail", CANARY], value);
    await registry.store("other").put([`sk-${"a".repeat(20)}`, "constructor"], value);
    await registry.store("broken").put([CANARY], value);
    expect(told.map(({ data }) => data.key)).toEqual([["mail", "*"], ["[redacted]", "constructor"], ["[redacted]"]]);
  });

  it("never has a secret of a key, a value or an error, in any sink of a run or of its registry", async () => {
    const told: unknown[] = [];
    const inner = memoryStore();
    const failing = {
      ...inner,
      get: async () => {
        throw new TinyAgentsError("store_failed", `no ${CANARY}`, { details: { store: CANARY, operation: "get" } });
      },
    };
    const registry = storeRegistry({
      stores: { users: failing },
      redactKeys: { users: () => ["hidden"] },
      onEvent: (event) => told.push(event),
    });
    const sink = eventRecorder({ deltas: true, payloads: true });
    const work = tool({
      name: "work",
      description: "Works.",
      input: { type: "object" },
      execute: async (_, { run }) => {
        const users = run.stores.store("users");
        await users.put([CANARY], { type: "text", text: CANARY });
        await users.get([CANARY]).catch(() => {});
        return "done";
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: "work", args: {} }] }, "Done."]);
    await createAgent({ name: "a", model, tools: [work], events: sink, stores: registry }).invoke("Go.");
    expect(sink.types().filter((type) => type.startsWith("store."))).toEqual(["store.write", "store.error"]);
    expect(told.length).toBe(2);
    expect(JSON.stringify([sink.events, told])).not.toContain(CANARY);
  });
});

describe("the stores of a run (STO-14, STO-16)", () => {
  const use = tool({
    name: "use",
    description: "Uses stores.",
    input: { type: "object" },
    execute: async (_, { run, saveArtifact }) => {
      await run.stores.store("notes").put(["n"], { type: "text", text: "x" });
      await saveArtifact({ data: "x", mediaType: "text/plain" });
      return "used";
    },
  });
  const stores = () => storeRegistry({ stores: { notes: memoryStore(), artifacts: memoryStore() } });
  const SCRIPT = [{ toolCalls: [{ id: "c", name: "use", args: {} }] }, "Done."];

  function storeEvents(events: readonly AgentEvent[]): readonly string[] {
    return events.flatMap(({ id, type, data }) => ("namespace" in data ? [`${id} ${type} ${data.namespace}`] : []));
  }

  it("tell the run's sink what is done in them, without a number of its events", async () => {
    const sink = eventRecorder();
    const without = eventRecorder();
    const agent = (events: typeof sink) =>
      createAgent({ name: "a", model: scriptedModel(SCRIPT), tools: [use], events, stores: stores() });
    await agent(sink).invoke("Go.", { runId: "r" });
    expect(storeEvents(sink.events)).toMatchObject([
      expect.stringMatching(/^r\/\d+\.1 store.write notes$/),
      expect.stringMatching(/^r\/\d+\.2 store.write artifacts$/),
    ]);
    await createAgent({ name: "a", model: scriptedModel(["Done."]), events: without, stores: stores() }).invoke("Go.");
    expect(storeEvents(without.events)).toEqual([]);
  });

  it("tell the events of a run below to that run alone", async () => {
    const sink = eventRecorder();
    const child = createAgent({ name: "child", model: scriptedModel(SCRIPT), tools: [use] });
    const parent = createAgent({
      name: "parent",
      model: scriptedModel([{ toolCalls: [{ id: "d", name: "child", args: { task: "Go." } }] }, "Done."]),
      tools: [child.asTool({ description: "Helps." })],
      events: sink,
      stores: stores(),
    });
    await parent.invoke("Go.", { runId: "r" });
    expect(storeEvents(sink.events).map((one) => one.replace(/\d+\.\d /, ""))).toEqual([
      "r/d/store.write notes",
      "r/d/store.write artifacts",
    ]);
  });

  it("are the registry's own where nobody listens", async () => {
    const registry = stores();
    const seen: unknown[] = [];
    const look = tool({
      name: "use",
      description: "Looks.",
      input: { type: "object" },
      execute: async (_, { run }) => {
        seen.push(run.stores);
        return "looked";
      },
    });
    await createAgent({ name: "a", model: scriptedModel(SCRIPT), tools: [look], stores: registry }).invoke("Go.");
    expect(seen).toEqual([registry]);
    expect(seen[0]).toBe(registry);
  });

  it("can be followed where their log can, and are looked up once", () => {
    const view = observeStores(storeRegistry({ logs: { a: memoryAppendStore() } }), () => {});
    expect(view.log("a").watch).toBeTypeOf("function");
    expect(view.log("a")).toBe(view.log("a"));
    expect(view.has("b")).toBe(false);
    expect(() => view.store("b")).toThrow(/There is no store named "b"/);
  });
});
