import { describe, expect, it } from "vitest";
import { TaskGroup, type WantedTask } from "./task-group.js";

/** A write that ends when the test says so. */
interface Write {
  readonly tasks: readonly string[];
  readonly signal: AbortSignal | undefined;
  end(error?: unknown): Promise<void>;
}

function newGroup() {
  const writes: Write[] = [];
  const write = (wanted: readonly WantedTask[], signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      writes.push({
        tasks: wanted.map(({ task }) => task.taskId),
        signal,
        async end(error) {
          if (error === undefined) for (const one of wanted) one.resolve();
          if (error === undefined) resolve();
          else reject(error);
          // The next write begins in a later microtask.
          await new Promise((done) => setImmediate(done));
        },
      });
    });
  const group = new TaskGroup(write);
  const add = (taskId: string, signal?: AbortSignal): Promise<void> =>
    group.add({ checkpointId: "c", task: { taskId, writes: [] }, fence: 0 }, signal);
  return { group, writes, add };
}

describe("what tasks leave at the same time", () => {
  it("shares the write after the one that is under way, in the order in which it came", async () => {
    const { group, writes, add } = newGroup();
    const all = [add("a"), add("b"), add("c")];
    await writes[0]?.end();
    await writes[1]?.end();
    await Promise.all(all);
    expect(writes.map(({ tasks }) => tasks)).toEqual([["a"], ["b", "c"]]);
    expect(group.idle).toBe(true);
  });

  it("is written to the end for those who are there, when others have stopped waiting", async () => {
    const { writes, add } = newGroup();
    const gone = new AbortController();
    const there = new AbortController();
    const first = add("first");
    const left = add("left", gone.signal);
    const stayed = add("stayed", there.signal);
    await writes[0]?.end();
    gone.abort();
    await expect(left).rejects.toMatchObject({ code: "cancelled" });
    expect(writes[1]?.signal?.aborted).toBe(false);
    await writes[1]?.end();
    await Promise.all([first, stayed]);
  });

  it("is stopped when nobody waits for it any more", async () => {
    const { group, writes, add } = newGroup();
    const controllers = [new AbortController(), new AbortController()];
    const first = add("first");
    const left = controllers.map(({ signal }, index) => add(String(index), signal));
    await writes[0]?.end();
    for (const controller of controllers) controller.abort();
    for (const call of left) await expect(call).rejects.toMatchObject({ code: "cancelled" });
    expect(writes[1]?.signal?.aborted).toBe(true);
    await writes[1]?.end(new Error("stopped"));
    await first;
    expect(group.idle).toBe(true);
  });

  it("is stopped by the signal of the one call that there is", async () => {
    const { writes, add } = newGroup();
    const controller = new AbortController();
    const call = add("a", controller.signal);
    expect(writes[0]?.signal).toBe(controller.signal);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
  });

  it("is not begun for who stopped waiting before", async () => {
    const { writes, add } = newGroup();
    const controller = new AbortController();
    const first = add("first");
    const left = add("left", controller.signal);
    controller.abort();
    await expect(left).rejects.toMatchObject({ code: "cancelled" });
    await writes[0]?.end();
    await first;
    expect(writes).toHaveLength(1);
    expect(() => add("late", AbortSignal.abort())).toThrow(expect.objectContaining({ code: "cancelled" }));
  });

  it("fails for all that shared a write, and the next is another write", async () => {
    const { writes, add } = newGroup();
    const failed = add("a");
    await Promise.all([expect(failed).rejects.toThrow("disk"), writes[0]?.end(new Error("disk"))]);
    const next = add("b");
    await writes[1]?.end();
    await next;
  });
});
