import { isTinyAgentsError } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { failAt } from "./index.js";

class Log {
  readonly name = "log";
  readonly #lines: string[] = [];

  async append(line: string): Promise<number> {
    this.#lines.push(line);
    return this.#lines.length;
  }

  async truncate(): Promise<void> {
    this.#lines.length = 0;
  }

  async read(): Promise<readonly string[]> {
    return [...this.#lines];
  }
}

describe("a store that fails at its n-th write", () => {
  test("does not do that write, and all others", async () => {
    const faulty = failAt(new Log(), 2);
    await faulty.subject.append("a");
    await expect(faulty.subject.append("b")).rejects.toSatisfy((error) => isTinyAgentsError(error, "store_failed"));
    expect(await faulty.subject.append("c")).toBe(2);
    expect(await faulty.subject.read()).toEqual(["a", "c"]);
    expect([faulty.writes, faulty.failed]).toEqual([3, true]);
  });

  test("loses the answer of a write that was done", async () => {
    const faulty = failAt(new Log(), 1, { when: "after" });
    await expect(faulty.subject.append("a")).rejects.toThrow("was done, and its answer was lost");
    expect(await faulty.subject.read()).toEqual(["a"]);
  });

  test("stays down for writes, as after a crash", async () => {
    const error = new Error("crash");
    const faulty = failAt(new Log(), 1, { stayDown: true, error });
    await expect(faulty.subject.append("a")).rejects.toBe(error);
    await expect(faulty.subject.truncate()).rejects.toBe(error);
    expect(await faulty.subject.read()).toEqual([]);
  });

  test("counts without failing, so that a loop can fail each write in turn", async () => {
    const counting = failAt(new Log(), Number.POSITIVE_INFINITY);
    await counting.subject.append("a");
    await counting.subject.read();
    await counting.subject.append("b");
    expect([counting.writes, counting.failed]).toEqual([2, false]);
  });

  test("counts the methods that are named", async () => {
    const faulty = failAt(new Log(), 1, { methods: ["read"] });
    await faulty.subject.append("a");
    await expect(faulty.subject.read()).rejects.toThrow("Write 1 (read) was not done");
    expect(faulty.subject.name).toBe("log");
  });

  test("rejects where the method answers at once", async () => {
    const faulty = failAt({ step: (): void => {} }, 1);
    await expect(faulty.subject.step()).rejects.toMatchObject({ code: "store_failed" });
  });

  test("refuses a number below 1", () => {
    expect(() => failAt({}, 0)).toThrow("writes are counted from 1");
  });
});
