import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ErrorRecord } from "../../errors.js";
import type { JsonValue } from "../../json.js";
import { TASK_TRANSITIONS, type TaskAction } from "./action.js";
import { applyTaskAction } from "./apply.js";
import { readTask, readTaskAction } from "./read.js";
import { TASK_STATES, type TaskRecord, taskHasEnded } from "./task.js";

const error: ErrorRecord = {
  name: "TinyAgentsError",
  code: "internal",
  message: "broke",
  retryable: false,
  details: { reason: "broke" },
};

const pending: TaskRecord = {
  v: 1,
  taskId: "t",
  kind: "write",
  input: { about: "cats" },
  state: "pending",
  claims: 0,
  messages: [],
  acknowledged: [],
  history: [],
  createdAtMs: 0,
  updatedAtMs: 0,
};

/** What a decision throws; fails when it throws nothing. */
function thrownBy(decide: () => unknown): unknown {
  try {
    decide();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

const claim: TaskAction = { type: "claim", by: "w1", leaseMs: 100 };

/** A task after actions, one ms apart. */
function after(...actions: readonly TaskAction[]): TaskRecord {
  return actions.reduce((task, action, index) => applyTaskAction(task, action, index + 1), pending);
}

describe("a task (SUB-06)", () => {
  test("is claimed, done, and keeps who did what when", () => {
    const done = after(claim, { type: "succeed", fence: 1, result: 42 });
    expect(done).toMatchObject({ state: "succeeded", result: 42, claims: 1, endedAtMs: 2, updatedAtMs: 2 });
    expect(done).not.toHaveProperty("lease");
    expect(done.history).toEqual([
      { atMs: 1, action: "claim", from: "pending", to: "running", by: "w1" },
      { atMs: 2, action: "succeed", from: "running", to: "succeeded", by: "w1" },
    ]);
  });

  test("waits for an answer, and is then there for whoever comes first", () => {
    const waiting = after(claim, { type: "wait", fence: 1, question: { ask: "Which?" } });
    expect(waiting).toMatchObject({ state: "waiting", question: { ask: "Which?" } });
    expect(waiting).not.toHaveProperty("lease");
    const answered = applyTaskAction(waiting, { type: "answer", by: "ada", answer: "this" }, 9);
    expect(answered).toMatchObject({ state: "pending", answer: "this", updatedAtMs: 9 });
    expect(answered).not.toHaveProperty("question");
    expect(applyTaskAction(answered, { type: "claim", by: "w2", leaseMs: 1 }, 10)).toMatchObject({
      state: "running",
      claims: 2,
      lease: { by: "w2", fence: 2, untilMs: 11 },
    });
  });

  test("is done by one at a time, and by another once the time of the first is up", () => {
    const running = after(claim);
    const other: TaskAction = { type: "claim", by: "w2", leaseMs: 100 };
    expect(thrownBy(() => applyTaskAction(running, other, 100))).toMatchObject({
      code: "conflict",
      retryable: true,
      details: { found: { by: "w1", fence: 1, untilMs: 101 } },
    });
    const taken = applyTaskAction(running, other, 101);
    expect(taken.lease).toEqual({ by: "w2", fence: 2, untilMs: 201 });
    for (const late of [
      { type: "succeed", fence: 1, result: 1 },
      { type: "renew", fence: 1, leaseMs: 5 },
      { type: "release", fence: 1 },
    ] as const) {
      expect(thrownBy(() => applyTaskAction(taken, late, 102))).toMatchObject({
        code: "conflict",
        details: { expected: 1, found: 2 },
      });
    }
    expect(applyTaskAction(taken, { type: "renew", fence: 2, leaseMs: 500 }, 150).lease?.untilMs).toBe(650);
  });

  test("is asked to stop while it is done, and stopped at once while it is not", () => {
    const asked = after(claim, { type: "cancel", by: "ada", reason: "too late" });
    expect(asked).toMatchObject({ state: "cancelling", lease: { fence: 1 } });
    expect(asked.history.at(-1)).toEqual({
      atMs: 2,
      action: "cancel",
      from: "running",
      to: "cancelling",
      by: "ada",
      reason: "too late",
    });
    expect(applyTaskAction(asked, { type: "release", fence: 1 }, 3).state).toBe("cancelled");
    expect(applyTaskAction(asked, { type: "succeed", fence: 1, result: 1 }, 3).state).toBe("succeeded");
    expect(after({ type: "cancel", by: "ada" })).toMatchObject({ state: "cancelled", endedAtMs: 1 });
  });

  test("is aborted without whoever does it, who then finds its lease gone", () => {
    const aborted = after(claim, { type: "abort", by: "ada" });
    expect(aborted).toMatchObject({ state: "aborted", endedAtMs: 2 });
    expect(thrownBy(() => applyTaskAction(aborted, { type: "succeed", fence: 1, result: 1 }, 3))).toMatchObject({
      code: "conflict",
      message: 'task "t" is aborted; succeed needs one that is running or cancelling. Nothing was changed.',
      details: { expected: ["running", "cancelling"], found: "aborted" },
    });
  });

  test("is steered by messages that come until they are acknowledged, each once", () => {
    const steer = (id: string): TaskAction => ({ type: "steer", by: "ada", id, payload: id });
    const steered = after(steer("a"), claim, steer("b"), steer("a"));
    expect(steered.messages.map(({ id, atMs }) => [id, atMs])).toEqual([
      ["a", 1],
      ["b", 3],
    ]);
    const taken = applyTaskAction(steered, { type: "acknowledge", fence: 1, ids: ["a", "x"] }, 9);
    expect(taken.messages.map(({ id }) => id)).toEqual(["b"]);
    expect(applyTaskAction(taken, steer("a"), 10)).toBe(taken);
    expect(taken.state).toBe("running");
  });

  test("holds so many messages and no more", () => {
    const messages = Array.from({ length: 1_000 }, (_, n) => ({ id: `m${n}`, by: "a", payload: 1, atMs: 0 }));
    const full = { ...pending, messages };
    const steer: TaskAction = { type: "steer", by: "a", id: "more", payload: 1 };
    expect(thrownBy(() => applyTaskAction(full, steer, 1))).toMatchObject({ code: "invalid_request" });
  });

  test("takes what is said twice as said once: an answer of the store may have been lost", () => {
    const twice: readonly TaskAction[] = [
      { type: "succeed", fence: 1, result: { b: 1, a: 2 } },
      { type: "fail", fence: 1, error },
      { type: "wait", fence: 1, question: null },
      { type: "cancel", by: "ada" },
      { type: "abort", by: "ada" },
    ];
    for (const action of twice) {
      const once = after(claim, action);
      expect(applyTaskAction(once, action, 9)).toBe(once);
    }
    const done = after(claim, { type: "succeed", fence: 1, result: 1 });
    expect(thrownBy(() => applyTaskAction(done, { type: "succeed", fence: 1, result: 2 }, 9))).toMatchObject({
      code: "conflict",
    });
    for (const type of ["cancel", "abort"] as const) expect(applyTaskAction(done, { type, by: "ada" }, 9)).toBe(done);
  });

  test("keeps its last hundred changes of state", () => {
    let task = pending;
    for (let n = 0; n < 150; n++) task = applyTaskAction(task, { ...claim, by: `w${n}` }, n * 200);
    expect(task.history.length).toBe(100);
    expect(task.history[0]?.by).toBe("w50");
    expect(task.claims).toBe(150);
  });
});

describe("the states of a task", () => {
  const anyAction: fc.Arbitrary<TaskAction> = fc.oneof(
    fc.record({
      type: fc.constant("claim" as const),
      by: fc.constantFrom("w1", "w2"),
      leaseMs: fc.constantFrom(1, 50),
    }),
    ...(["renew", "release", "wait", "succeed", "fail", "acknowledge"] as const).map((type) =>
      fc
        .integer({ min: 1, max: 4 })
        .map((fence) => ({ type, fence, leaseMs: 10, question: 1, result: 1, error, ids: ["a"] })),
    ),
    ...(["answer", "steer", "cancel", "abort"] as const).map((type) =>
      fc.constant({ type, by: "ada", answer: 1, id: "a", payload: 1 }),
    ),
  ) as fc.Arbitrary<TaskAction>;

  test("are left as the table says or not at all, an end never, and stored tasks can always be read", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyAction, fc.integer({ min: 0, max: 60 })), { maxLength: 30 }), (steps) => {
        let task = pending;
        let nowMs = 0;
        for (const [action, passedMs] of steps) {
          nowMs += passedMs;
          const before = task;
          try {
            task = applyTaskAction(task, action, nowMs);
          } catch (thrown) {
            expect(thrown).toMatchObject({ code: "conflict" });
            continue;
          }
          if (task === before) continue;
          expect(taskHasEnded(before.state)).toBe(false);
          expect(task.state).toBe(TASK_TRANSITIONS[action.type][before.state]);
          expect(task.lease !== undefined).toBe(task.state === "running" || task.state === "cancelling");
          expect(task.endedAtMs !== undefined).toBe(taskHasEnded(task.state));
          expect(readTask(JSON.parse(JSON.stringify(task)), "task")).toEqual(task);
        }
      }),
    );
  });

  test("name all states there are", () => {
    const named = new Set(
      Object.values(TASK_TRANSITIONS).flatMap((row) => [...Object.keys(row), ...Object.values(row)]),
    );
    expect([...named].sort()).toEqual([...TASK_STATES].sort());
  });
});

describe("an action from outside", () => {
  test.each<[JsonValue, string]>([
    [null, "action"],
    [{ type: "explode" }, "action.type"],
    [{ type: "claim", by: "", leaseMs: 1 }, "action.by"],
    [{ type: "claim", by: "w", leaseMs: 0 }, "action.leaseMs"],
    [{ type: "succeed", fence: 0, result: 1 }, "action.fence"],
    [{ type: "succeed", fence: 1 }, "action.result"],
    [{ type: "fail", fence: 1, error: "no" }, "action.error"],
    [{ type: "steer", by: "a", id: "m" }, "action.payload"],
  ])("is refused where it cannot be, with its place: %j", (action, place) => {
    expect(thrownBy(() => readTaskAction(action as never))).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(place),
    });
  });

  test("is copied, and may have fields that are undefined", () => {
    const result = { a: [1] };
    const read = readTaskAction({ type: "succeed", fence: 1, result });
    expect(read).toEqual({ type: "succeed", fence: 1, result: { a: [1] } });
    expect((read as { readonly result: unknown }).result).not.toBe(result);
    expect(readTaskAction({ type: "cancel", by: "a", reason: undefined })).toEqual({ type: "cancel", by: "a" });
    expect(thrownBy(() => readTaskAction({ type: "succeed", fence: 1, result: (() => 1) as never }))).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("action.result"),
    });
  });
});

describe("a stored task (DG-04)", () => {
  test.each<[object, string]>([
    [{ v: 2 }, "task"],
    [{ state: "gone" }, "task.state"],
    [{ state: "running" }, "task.lease"],
    [{ input: undefined }, "task.input"],
    [{ messages: [{ id: 1 }] }, "task.messages[0].id"],
    [{ history: [{ from: "x" }] }, "task.history[0]"],
  ])("that is damaged is not read, and the place is named: %j", (change, place) => {
    const stored = JSON.parse(JSON.stringify({ ...pending, ...change }));
    const thrown = thrownBy(() => readTask(stored, "task")) as { readonly details: { readonly place: string } };
    expect(thrown.details.place).toContain(place);
  });
});
