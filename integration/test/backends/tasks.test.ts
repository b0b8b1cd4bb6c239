import { claimNextTask, manualClock, type TaskStore, TinyAgentsError } from "@tinyagents/core";
import { taskStore } from "@tinyagents/persistence";
import { memoryStore } from "@tinyagents/store-memory";
import { failAt } from "@tinyagents/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { backends } from "./backends.js";
import { piecewise } from "./piecewise.js";
import type { BackendPlace } from "./place.js";

const places: BackendPlace[] = [];
afterEach(async () => {
  for (const place of places.splice(0)) await place.remove();
});

const idsOf = (page: { readonly items: readonly { readonly taskId: string }[] }): string[] =>
  page.items.map(({ taskId }) => taskId);

describe.each(backends)("tasks in $name (SUB-06, SUB-07, PF-03, SE-04, SE-06)", (backend) => {
  const test = it.skipIf(backend.skip !== undefined);

  async function placed() {
    const place = await backend.place();
    places.push(place);
    return place;
  }

  test("outlive the process: those that are pending or wait are listed and go on", async () => {
    const place = await placed();
    const first = await place.open();
    const before = taskStore(first.store);
    await before.create({ taskId: "a", kind: "write", input: { about: "cats" }, threadId: "t1", rootRunId: "r1" });
    await before.create({ taskId: "b", kind: "write", input: 1 });
    await before.act("b", { type: "claim", by: "w1", leaseMs: 60_000 });
    await before.act("b", { type: "wait", fence: 1, question: "Which?" });
    await before.act("b", { type: "steer", by: "ada", id: "m1", payload: "hurry" });
    await first.close();

    const second = await place.open();
    const tasks = taskStore(second.store);
    expect(idsOf(await tasks.list({ states: ["pending"] }))).toEqual(["a"]);
    const [waiting] = (await tasks.list({ states: ["waiting"] })).items;
    expect(waiting).toMatchObject({ taskId: "b", question: "Which?", messages: [{ id: "m1", payload: "hurry" }] });
    await tasks.act("b", { type: "answer", by: "ada", answer: "this" });
    const claimed = await claimNextTask(tasks, { by: "w2", kinds: ["read", "write"], leaseMs: 60_000 });
    expect(claimed).toMatchObject({ taskId: "a", input: { about: "cats" }, lease: { by: "w2", fence: 1 } });
    const next = await claimNextTask(tasks, { by: "w2", kinds: ["write"], leaseMs: 60_000 });
    expect(next).toMatchObject({ taskId: "b", answer: "this", lease: { fence: 2 } });
    await tasks.act("b", { type: "succeed", fence: 2, result: { written: true } });
    expect(await claimNextTask(tasks, { by: "w2", kinds: ["write"], leaseMs: 60_000 })).toBeUndefined();
    expect((await tasks.get("b"))?.result).toEqual({ written: true });
    expect(idsOf(await tasks.list({ threadId: "t1" }))).toEqual(["a"]);
    expect(idsOf(await tasks.list({ rootRunId: "r1", states: ["running", "pending"] }))).toEqual(["a"]);
    await second.close();
  });

  test("are each given to one worker, however many ask at once", async () => {
    const opened = await (await placed()).open();
    const tasks = taskStore(opened.store);
    for (let n = 0; n < 6; n++) await tasks.create({ taskId: `t${n}`, kind: "k", input: n });
    const workers = Array.from({ length: 6 }, (_, n) => `w${n}`);
    const claimed = await Promise.all(workers.map((by) => claimNextTask(tasks, { by, kinds: ["k"], leaseMs: 60_000 })));
    expect(new Set(claimed.map((task) => task?.taskId)).size).toBe(6);
    for (const task of claimed) expect((await tasks.get(task!.taskId))?.lease?.by).toBe(task?.lease?.by);
    await opened.close();
  });

  test("are told everything that is said to them at once, each once", async () => {
    const opened = await (await placed()).open();
    const tasks = taskStore(opened.store);
    await tasks.create({ taskId: "t", kind: "k", input: null });
    const say = (id: string) => tasks.act("t", { type: "steer", by: "ada", id, payload: id });
    await Promise.all(["a", "b", "c", "a"].map(say));
    expect((await tasks.get("t"))?.messages.map(({ id }) => id).sort()).toEqual(["a", "b", "c"]);
    await opened.close();
  });

  test("are those of their id alone, whatever it is made of, and finished ones are taken away in bounded steps", async () => {
    const opened = await (await placed()).open();
    const tasks = taskStore(opened.store);
    const ids = ["t", "t/1", "*", "%", "__proto__", "constructor", "' OR 1=1", "\u0000", "$gt", "\ud800"];
    for (const taskId of ids) await tasks.create({ taskId, kind: taskId, input: taskId, threadId: taskId });
    for (const id of ids) {
      expect((await tasks.get(id))?.input).toBe(id);
      expect(idsOf(await tasks.list({ threadId: id }))).toEqual([id]);
      expect(idsOf(await tasks.list({ kind: id, states: ["pending"] }))).toEqual([id]);
    }
    for (const id of ids.slice(0, 5)) await tasks.act(id, { type: "abort", by: "ada" });
    const endedBeforeMs = Date.now() + 60_000;
    expect(await tasks.prune({ endedBeforeMs: 1 })).toBe(0);
    expect(await tasks.prune({ endedBeforeMs, limit: 2 })).toBe(2);
    expect(await tasks.prune({ endedBeforeMs })).toBe(3);
    expect(await tasks.prune({ endedBeforeMs })).toBe(0);
    expect(idsOf(await tasks.list()).sort()).toEqual(ids.slice(5).sort());
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    await opened.close();
  });
});

describe("a task store", () => {
  it("gives a task whose owner is gone to the next one that asks, before those that nobody has begun", async () => {
    const clock = manualClock();
    const tasks = taskStore(memoryStore(), { clock });
    await tasks.create({ taskId: "a", kind: "k", input: 1 });
    const ask = (by: string) => claimNextTask(tasks, { by, kinds: ["k"], leaseMs: 1_000, clock });
    await ask("w1");
    await tasks.create({ taskId: "b", kind: "k", input: 1 });
    await clock.advance(999);
    expect((await ask("w2"))?.taskId).toBe("b");
    await clock.advance(1);
    expect(await ask("w3")).toMatchObject({ taskId: "a", lease: { by: "w3", fence: 2 } });
    await expect(tasks.act("a", { type: "succeed", fence: 1, result: 1 })).rejects.toMatchObject({ code: "conflict" });
  });

  it("takes a task that is created twice for the same one, and refuses another under its id", async () => {
    const tasks = taskStore(memoryStore());
    const first = await tasks.create({ taskId: "a", kind: "k", input: { x: 1, y: 2 } });
    expect(await tasks.create({ taskId: "a", kind: "k", input: { y: 2, x: 1 }, threadId: undefined })).toEqual(first);
    await expect(tasks.create({ taskId: "a", kind: "k", input: 2 })).rejects.toMatchObject({
      code: "conflict",
      details: { resource: 'task "a"' },
    });
  });

  it.each([
    [(tasks: TaskStore) => tasks.create({ taskId: "", kind: "k", input: 1 }), "spec.taskId"],
    [(tasks: TaskStore) => tasks.create({ kind: "", input: 1 }), "spec.kind"],
    [(tasks: TaskStore) => tasks.create({ kind: "k", input: (() => 1) as never }), "spec.input"],
    [(tasks: TaskStore) => tasks.create({ kind: "k", input: 1, priority: 2 } as never), "spec.priority"],
    [(tasks: TaskStore) => tasks.create({ kind: "k", input: 1, metadata: 2 } as never), "spec.metadata"],
    [(tasks: TaskStore) => tasks.act("none", { type: "abort", by: "a" }), 'no task "none"'],
    [(tasks: TaskStore) => tasks.list({ tenant: "x" } as never), "query.tenant"],
    [(tasks: TaskStore) => tasks.list({ kind: "k" }), "query.states"],
    [(tasks: TaskStore) => tasks.list({ kind: "k", threadId: "t", states: ["pending"] }), "leave all but one out"],
    [(tasks: TaskStore) => tasks.list({ states: ["pending", "running"] }), "query.states"],
    [(tasks: TaskStore) => tasks.prune({ endedBeforeMs: Number.NaN }), "which.endedBeforeMs"],
    [(tasks: TaskStore) => tasks.prune({ endedBeforeMs: 1, limit: 0 }), "which.limit"],
  ])("refuses what cannot be, and passes nothing over (ST-03): %s", async (ask, said) => {
    await expect(ask(taskStore(memoryStore()))).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(said),
    });
  });

  it("refuses a task that nobody has given an input: null is one, nothing is none", async () => {
    const tasks = taskStore(memoryStore());
    const without = { taskId: "a", kind: "k" } as Parameters<TaskStore["create"]>[0];
    await expect(tasks.create(without)).rejects.toMatchObject({
      code: "invalid_request",
      details: { argument: "spec.input" },
    });
    expect(await tasks.get("a")).toBeUndefined();
    expect((await tasks.create({ ...without, input: null })).input).toBeNull();
  });

  it("prunes no task that was begun anew under the id of a finished one", async () => {
    const store = memoryStore();
    const others = taskStore(store);
    await others.create({ taskId: "a", kind: "k", input: 1 });
    await others.act("a", { type: "abort", by: "ada" });
    let reads = 0;
    const get: typeof store.get = async (...asked) => {
      // It was listed as finished by now, and is looked up once more to be taken away.
      if (++reads === 2) {
        await others.prune({ endedBeforeMs: Number.MAX_SAFE_INTEGER });
        await others.create({ taskId: "a", kind: "k", input: 2 });
      }
      return store.get(...asked);
    };
    expect(await taskStore({ ...store, get }).prune({ endedBeforeMs: Number.MAX_SAFE_INTEGER })).toBe(0);
    expect(await others.get("a")).toMatchObject({ state: "pending", input: 2 });
  });

  it("refuses a wrong prefix at once", () => {
    expect(() => taskStore(memoryStore(), { prefix: ["a", ""] })).toThrow(TypeError);
  });
});

/** What one worker does with a task from its beginning to its end. */
async function wholeLife(tasks: TaskStore): Promise<void> {
  await tasks.create({ taskId: "a", kind: "k", input: 1 });
  const claimed = await claimNextTask(tasks, { by: "w", kinds: ["k"], leaseMs: 1_000, clock: manualClock() });
  const fence = claimed?.lease?.fence ?? 0;
  await tasks.act("a", { type: "steer", by: "ada", id: "m", payload: 1 });
  await tasks.act("a", { type: "acknowledge", fence, ids: ["m"] });
  await tasks.act("a", { type: "succeed", fence, result: 1 });
}

describe("a task whose process is killed (DG-14, SUB-07)", () => {
  it.each([
    ["in one piece", "before", (store: ReturnType<typeof memoryStore>) => store],
    ["in one piece", "after", (store: ReturnType<typeof memoryStore>) => store],
    ["piece by piece", "before", piecewise],
    ["piece by piece", "after", piecewise],
  ] as const)("at any write %s, %s it is done, is found and finished by another", async (_, when, made) => {
    let writes = Number.POSITIVE_INFINITY;
    for (let n = 1; n <= writes; n++) {
      const clock = manualClock();
      const store = memoryStore({ clock });
      const dying = failAt(store, n, { when, stayDown: true });
      const created: boolean[] = [];
      const tasks = taskStore(made(dying.subject), { clock });
      const noting: TaskStore = {
        ...tasks,
        async create(spec) {
          const task = await tasks.create(spec);
          created.push(true);
          return task;
        },
      };
      await wholeLife(noting).catch((error: unknown) => {
        expect(error).toBeInstanceOf(TinyAgentsError);
      });
      if (!dying.failed) writes = dying.writes;
      await clock.advance(2_000);
      const again = taskStore(made(store), { clock });
      const next = await claimNextTask(again, { by: "w2", kinds: ["k"], leaseMs: 1_000, clock });
      if (next !== undefined) await again.act("a", { type: "succeed", fence: next.lease?.fence ?? 0, result: 1 });
      const task = await again.get("a");
      if (created.length > 0) expect(task?.state).toBe("succeeded");
      const listed = idsOf(await again.list({ states: ["succeeded"] }));
      expect(listed).toEqual(task === undefined ? [] : ["a"]);
      expect(idsOf(await again.list())).toEqual(listed);
    }
  });
});
