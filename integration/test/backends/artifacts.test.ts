import { type ArtifactIndex, type Store, storeRegistry, tool } from "@tinyagents/core";
import { type AgentOptions, createAgent } from "@tinyagents/harness";
import { artifactIndex } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { failAt, scriptedModel } from "@tinyagents/testkit";
import { describe, expect, it } from "vitest";
import { onBackends } from "./on-backends.js";
import { piecewise } from "./piecewise.js";

const bytes = new Uint8Array([0, 255, 1, 128]);

/** SHA-256 of `bytes`, and of the text `a`. */
const OF_BYTES = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
const OF_A = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";

const keysOf = (page: { readonly items: readonly { readonly key: readonly string[] }[] }) =>
  page.items.map(({ key }) => key);

/** Sweeps to the end. */
async function sweepAll(index: ArtifactIndex, limit = 2): Promise<{ indexed: number; dropped: number }> {
  const sum = { indexed: 0, dropped: 0 };
  let cursor: string | undefined;
  do {
    const swept = await index.sweep({ cursor, limit });
    sum.indexed += swept.indexed;
    sum.dropped += swept.dropped;
    cursor = swept.cursor;
  } while (cursor !== undefined);
  return sum;
}

/** An agent that draws once. */
function artist(options: Partial<AgentOptions> = {}) {
  const draw = tool({
    name: "draw",
    description: "Draws.",
    input: { type: "object" },
    execute: async (_, { saveArtifact }) => {
      await saveArtifact({ data: bytes, mediaType: "image/png", name: "cat.png" });
      await saveArtifact({ data: "a", mediaType: "text/plain" });
      return "drawn";
    },
  });
  const model = scriptedModel([{ toolCalls: [{ id: "c1", name: "draw", args: {} }] }, "Done."]);
  return createAgent({ name: "artist", model, tools: [draw], ...options });
}

onBackends("artifacts of runs (STO-07, STO-13, PF-03, SE-04, SE-06)", (opened) => {
  it("that a tool saves are found by run, thread and name, in a new process too, with their content", async () => {
    const { backend, reopen } = opened();
    const index = artifactIndex(backend.store, { content: backend.store });
    await artist({ stores: storeRegistry({ stores: { artifacts: index.store } }) }).invoke("Draw.", {
      runId: "r1",
      threadId: "t1",
    });
    const again = await reopen();
    const later = artifactIndex(again.store, { content: again.store });
    const { items } = await later.list({ runId: "r1" });
    expect(items).toMatchObject([
      {
        v: 1,
        namespace: "artifacts",
        key: ["r1", "c1", "0"],
        name: "cat.png",
        mediaType: "image/png",
        bytes: 4,
        sha256: OF_BYTES,
        runId: "r1",
        rootRunId: "r1",
        threadId: "t1",
        callId: "c1",
      },
      { key: ["r1", "c1", "1"], bytes: 1, sha256: OF_A },
    ]);
    expect((await later.store.get(items[0]!.key))?.value).toEqual({ type: "bytes", bytes });
    expect(keysOf(await later.list({ threadId: "t1", name: "cat.png" }))).toEqual([["r1", "c1", "0"]]);
    expect(keysOf(await later.list({ name: "cat.png" }))).toEqual([["r1", "c1", "0"]]);
    expect(keysOf(await later.list({ rootRunId: "r1", order: "descending", limit: 1 }))).toEqual([["r1", "c1", "1"]]);
    expect(await sweepAll(later)).toEqual({ indexed: 0, dropped: 0 });
  });

  it("that a sub-agent saves are found with those of the thread of the run at the top", async () => {
    const { store } = opened().backend;
    const index = artifactIndex(store, { content: store });
    const lead = createAgent({
      name: "lead",
      model: scriptedModel([{ toolCalls: [{ id: "ask", name: "artist", args: { task: "Draw." } }] }, "Done."]),
      tools: [artist().asTool({ description: "Draws." })],
      stores: storeRegistry({ stores: { artifacts: index.store } }),
    });
    await lead.invoke("Draw.", { runId: "r1", threadId: "t1" });
    const { items } = await index.list({ threadId: "t1" });
    expect(items.map(({ runId, rootRunId }) => [runId, rootRunId])).toEqual([
      ["r1/ask", "r1"],
      ["r1/ask", "r1"],
    ]);
  });

  it("that an application saves, replaces and takes away are those of their key alone", async () => {
    const { backend } = opened();
    const index = artifactIndex(backend.store, { content: backend.store });
    const ids = ["r", "r/1", "*", "%", "__proto__", "constructor", "' OR 1=1", "$gt"];
    for (const id of ids) {
      await index.save({ data: id, mediaType: "text/plain", runId: id, threadId: id, name: id, key: [id, "x"] });
    }
    for (const id of ids) {
      expect(keysOf(await index.list({ runId: id }))).toEqual([[id, "x"]]);
      expect(keysOf(await index.list({ threadId: id, name: id }))).toEqual([[id, "x"]]);
    }
    const replaced = await index.save({ data: "a", mediaType: "text/css", runId: "*", key: ["*", "x"] });
    expect(replaced).toMatchObject({ sha256: OF_A, mediaType: "text/css" });
    expect(replaced).not.toHaveProperty("name");
    expect((await index.list({ name: "*" })).items).toEqual([]);
    expect(await index.delete(["*", "x"])).toBe(true);
    expect(await index.delete(["*", "x"])).toBe(false);
    expect(await index.get(["*", "x"])).toBeUndefined();
    expect((await index.list()).items.length).toBe(ids.length - 1);
    const { key } = await index.save({ data: bytes, mediaType: "image/png", runId: "r" });
    expect(key[0]).toBe("r");
  });
});

/** Saves one, replaces it, saves another, and takes the first away. */
async function life(index: ArtifactIndex): Promise<void> {
  const save = (data: string, name: string) =>
    index.save({ data, mediaType: "text/plain", runId: "r", name, key: ["r", name] });
  await save("one", "a");
  await save("other", "a");
  await save("two", "b");
  await index.delete(["r", "a"]);
}

describe("artifacts whose process is killed at any write", () => {
  it.each([
    ["one store, in one piece", "before", (store: Store) => store],
    ["one store, in one piece", "after", (store: Store) => store],
    ["one store, piece by piece", "before", piecewise],
    ["one store, piece by piece", "after", piecewise],
  ] as const)("are as their contents are after a sweep: %s, %s it is done (STO-07)", async (_, when, made) => {
    let writes = Number.POSITIVE_INFINITY;
    for (let n = 1; n <= writes; n++) {
      const store = memoryStore();
      const dying = failAt(store, n, { when, stayDown: true });
      const subject = made(dying.subject);
      await life(artifactIndex(subject, { content: subject })).catch(() => {});
      if (!dying.failed) writes = dying.writes;
      const index = artifactIndex(made(store), { content: made(store) });
      await sweepAll(index);
      const contents = await store.list({ prefix: ["r"] });
      const listed = await index.list({ runId: "r" });
      expect(keysOf(listed).sort()).toEqual(keysOf(contents));
      for (const { key, version, bytes: size } of listed.items) {
        const found = await store.get(key);
        expect(found?.version).toBe(version);
        expect(found?.value).toMatchObject({ type: "text", text: expect.stringMatching(new RegExp(`^.{${size}}$`)) });
      }
      expect(await sweepAll(index)).toEqual({ indexed: 0, dropped: 0 });
    }
  });
});

describe("an artifact index", () => {
  const index = artifactIndex(memoryStore(), { content: memoryStore() });

  it("lets records that are no artifacts through, in batches too, and forgets what they replace", async () => {
    const content = memoryStore();
    const own = artifactIndex(memoryStore(), { content });
    const attributes = { runId: "r", mediaType: "text/plain" };
    const text = { type: "text", text: "a" } as const;
    await own.store.batch([
      { type: "put", key: ["x"], value: text, options: { attributes } },
      { type: "put", key: ["y"], value: text },
      { type: "put", key: ["z"], value: { type: "json", value: { a: 1 } }, options: { attributes } },
      { type: "delete", key: ["z"] },
    ]);
    expect(keysOf(await own.list())).toEqual([["x"]]);
    await own.store.put(["x"], text);
    expect(keysOf(await own.list())).toEqual([]);
    expect((await content.list({ prefix: [] })).items.length).toBe(2);
  });

  it.each<[ask: () => Promise<unknown>, said: string]>([
    [() => index.list({ tenant: "a" } as never), "query.tenant"],
    [() => index.list({ runId: "a", threadId: "b" }), "leave all but one out"],
    [() => index.list({ rootRunId: "" }), "query.rootRunId"],
    [() => index.list({ name: "" }), "query.name"],
    [() => index.sweep({ cursor: "x" }), "cursor"],
    [() => index.sweep({ limit: 0 }), "limit"],
    [() => index.save({ data: "a", mediaType: "text/plain", runId: "" }), "artifact.runId"],
    [() => index.save({ data: "a", mediaType: 1 as never, runId: "r" }), "artifact.mediaType"],
    [() => index.save({ data: 1 as never, mediaType: "text/plain", runId: "r" }), "value"],
    [() => index.save({ data: "a", mediaType: "t", runId: "r", ttlMs: 1 } as never), "artifact.ttlMs"],
    [() => index.store.put(["a"], { type: "text", text: "" }, { ttlMs: 1 }), "ttlMs"],
    [() => index.get([]), "key"],
  ])("refuses what cannot be, and passes nothing over (ST-03): %s", async (ask, said) => {
    await expect(Promise.resolve().then(ask)).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(said),
    });
  });

  it("refuses wrong options at once", () => {
    expect(() => artifactIndex(memoryStore(), {} as never)).toThrow(TypeError);
    expect(() => artifactIndex(memoryStore(), { content: memoryStore(), namespace: "" })).toThrow(TypeError);
    expect(() => artifactIndex(memoryStore(), { content: memoryStore(), prefix: [""] })).toThrow(TypeError);
  });
});
