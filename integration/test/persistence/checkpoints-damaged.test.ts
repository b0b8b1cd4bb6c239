import type { AppendStore, JsonObject, JsonValue } from "@tinyagents/core";
import { checkpointStore } from "@tinyagents/persistence";
import { memoryBackend } from "@tinyagents/store-memory";
import { describe, expect, it } from "vitest";

const THREAD = { threadId: "t", namespace: "" };
const STREAM = "checkpoints/t/";
const row = { v: 1, ...THREAD, checkpointId: "c0", parentId: null, baseId: "c0", step: 0, createdAtMs: 0 } as const;

/** Three sound entries: a checkpoint, what a task left, a claim. */
async function sound(): Promise<JsonObject[]> {
  const { log } = memoryBackend();
  const store = checkpointStore(log);
  await store.append({ ...row, metadata: {}, changes: 1 }, { expectedHead: null });
  await store.putWrites({ ...THREAD, checkpointId: "c0", taskId: "a", writes: [1], control: { asked: 1 } });
  await store.claim(THREAD, 1);
  return (await log.read(STREAM)).map(({ value }) => value as JsonObject);
}

/** An entry with one field, however deep, replaced; `undefined`: without it. */
function changed(entry: JsonObject, path: readonly string[], value: JsonValue | undefined): JsonObject {
  const [name = "", ...deeper] = path;
  const inner = deeper.length > 0 ? changed(entry[name] as JsonObject, deeper, value) : value;
  const { [name]: _, ...others } = entry;
  return inner === undefined ? others : { ...others, [name]: inner };
}

async function logOf(entries: readonly JsonValue[]): Promise<AppendStore> {
  const { log } = memoryBackend();
  await log.append(STREAM, entries);
  return log;
}

/** Offset of the entry, the field, and what cannot stand there. */
const DAMAGES: readonly (readonly [number, string, ...(JsonValue | undefined)[]])[] = [
  [0, "type", "other", 1, undefined],
  [0, "fence", -1, "1", undefined],
  [0, "startAt", 0.5, undefined],
  [0, "copying", false, "yes"],
  [0, "headAt", 1, null, undefined],
  [0, "baseAt", 5, null, undefined],
  [0, "row", null, [], undefined],
  [0, "row.threadId", "other", 5, undefined],
  [0, "row.namespace", "in", undefined],
  [0, "row.checkpointId", 5, undefined],
  [0, "row.parentId", 5, undefined],
  [0, "row.baseId", null, undefined],
  [0, "row.step", -1, "0", undefined],
  [0, "row.createdAtMs", "now", undefined],
  [0, "row.metadata", [], null, undefined],
  [0, "row.changes", undefined],
  [1, "headAt", 1, 2, "0", undefined],
  [1, "baseAt", 1, undefined],
  [1, "task", "a", undefined],
  [1, "task.taskId", 1, undefined],
  [1, "task.writes", {}, "x"],
  [1, "task.control", [], 5],
  [2, "fence", null, undefined],
  [2, "headAt", 3, "0", undefined],
];

describe("entries of checkpoints that are damaged (DG-04)", () => {
  for (const [offset, field, ...values] of DAMAGES) {
    it(`are refused with stream, offset and field: ${field} of entry ${offset}`, async () => {
      const entries = await sound();
      for (const value of values) {
        const log = await logOf(
          entries.map((entry, at) => (at === offset ? changed(entry, field.split("."), value) : entry)),
        );
        const said = { code: "corrupt_data", details: { place: `${STREAM} at offset ${offset}.${field}` } };
        await expect(checkpointStore(log).load(THREAD), String(value)).rejects.toMatchObject(said);
        await expect(checkpointStore(log).list(THREAD), String(value)).rejects.toMatchObject(said);
      }
    });
  }

  it("are refused when the whole entry is something else", async () => {
    const [, ...others] = await sound();
    for (const value of [null, 1, "text", []]) {
      const loaded = checkpointStore(await logOf([value, ...others])).load(THREAD);
      await expect(loaded).rejects.toMatchObject({ code: "corrupt_data", details: { place: `${STREAM} at offset 0` } });
    }
  });

  it.each(["v", "row.v"])("are refused when a newer version wrote them: %s", async (field) => {
    const [first, ...others] = (await sound()) as [JsonObject, ...JsonObject[]];
    const log = await logOf([changed(first, field.split("."), 2), ...others]);
    await expect(checkpointStore(log).load(THREAD)).rejects.toMatchObject({ code: "version_mismatch" });
  });

  it("are refused when the way back to the base is broken, with checkpoint and thread", async () => {
    const [first] = (await sound()) as [JsonObject];
    const next = { ...first, headAt: 1, row: { ...(first.row as JsonObject), checkpointId: "c1", parentId: "gone" } };
    const loaded = checkpointStore(await logOf([first, next])).load(THREAD);
    await expect(loaded).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: 'checkpoint "c1" of thread "t"' },
    });
  });

  it("are refused when the head or its base is not where the last entry says, and nothing is written after them", async () => {
    const [first, task] = (await sound()) as [JsonObject, JsonObject];
    const log = await logOf([first, { ...first, headAt: 1, baseAt: 1 }, { ...task, headAt: 1, baseAt: 1 }]);
    await log.truncate(STREAM, { before: 2 });
    const store = checkpointStore(log);
    await expect(store.load(THREAD)).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: `${STREAM} at offset 2.baseAt` },
    });
    const put = store.putWrites({ ...THREAD, checkpointId: "c0", taskId: "b", writes: [] });
    await expect(put).rejects.toMatchObject({
      code: "corrupt_data",
      details: { place: `${STREAM} at offset 2.headAt` },
    });
    expect(await log.head(STREAM)).toBe(3);
  });

  it("are told when all of them are gone, and nothing begins anew in their place", async () => {
    const log = await logOf(await sound());
    await log.truncate(STREAM, { before: 3 });
    const begun = checkpointStore(log).append({ ...row, metadata: {}, changes: 1 }, { expectedHead: null });
    await expect(begun).rejects.toMatchObject({ code: "corrupt_data", details: { place: STREAM } });
  });
});
