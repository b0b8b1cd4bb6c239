import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { link, mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@tinyagents/conformance";
import { systemClock } from "@tinyagents/core";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Files, nodeFiles } from "./files.js";
import { type FolderLock, folderLock } from "./folder-lock.js";
import { type LockOwner, readOwner, stateOf, thisOwner } from "./lock-owner.js";

const wanted = (): boolean => true;
let folder: string;

beforeEach(() => {
  const { path, remove } = temporaryFolder("jsonl-lock");
  folder = join(path, "lock");
  return remove;
});

function newLock(waitMs = 60, files: Files = nodeFiles): FolderLock {
  return folderLock(files, folder, { waitMs, silentMs: 40 });
}

/** A process of which a lock file tells, and that file. */
async function processThatHolds(number: number): Promise<{ readonly child: ChildProcess; readonly owner: LockOwner }> {
  const child = spawn(process.execPath, ["-e", "process.stdout.write('up'); setInterval(() => {}, 1000)"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const stat = await readFile(`/proc/${child.pid}/stat`, "latin1");
  const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] as string;
  const owner = { ...(await thisOwner()), pid: child.pid as number, startedAt };
  await holdAs(owner, number);
  return { child, owner };
}

async function holdAs(owner: LockOwner, number: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "owner-of-another");
  await writeFile(file, JSON.stringify(owner));
  await link(file, join(folder, String(number)));
  return file;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe("the lock of a folder (ST-09)", () => {
  it("is held by one at a time, and passed on when it is let go", async () => {
    const [first, second] = [newLock(), newLock()];
    expect(await first.acquire(wanted)).toBe(true);
    await expect(second.acquire(wanted)).rejects.toMatchObject({
      code: "store_failed",
      retryable: true,
      message: expect.stringContaining(`process ${process.pid} on`),
    });
    await first.release();
    expect(await second.acquire(wanted)).toBe(true);
    await expect(first.acquire(wanted)).rejects.toMatchObject({ code: "store_failed" });
    await second.close();
    expect(await first.acquire(wanted)).toBe(true);
    await first.close();
  });

  it("is given way with though the clock was set back meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const [first, second] = [newLock(), newLock()];
    await first.acquire(wanted);
    const waiting = second.acquire(wanted);
    await expect.poll(() => readdir(folder)).toContain("wanted");
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await first.shouldYield()).toBe(true);
    await first.release();
    expect(await waiting).toBe(true);
    await Promise.all([first.close(), second.close()]);
  });

  it("is waited for no longer though the clock is set back meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const [first, second] = [newLock(), newLock(200)];
    await first.acquire(wanted);
    const waiting = expect(second.acquire(wanted)).rejects.toMatchObject({ code: "store_failed" });
    await expect.poll(() => readdir(folder)).toContain("wanted");
    vi.setSystemTime(Date.now() - 3_600_000);
    await waiting;
    await first.close();
  });

  it("is given up by one that wants it no more", async () => {
    const [first, second] = [newLock(), newLock(10_000)];
    await first.acquire(wanted);
    let isWanted = true;
    const waiting = second.acquire(() => isWanted);
    isWanted = false;
    expect(await waiting).toBe(false);
    await first.close();
  });

  it("leaves few files behind, however often it is taken", async () => {
    const [first, second] = [newLock(1_000), newLock(1_000)];
    for (let i = 0; i < 50; i++) {
      for (const lock of i % 3 === 0 ? [first, second] : [first]) {
        await lock.acquire(wanted);
        await lock.release();
      }
    }
    expect((await readdir(folder)).length).toBeLessThan(8);
    await Promise.all([first.close(), second.close()]);
    expect((await readdir(folder)).filter((name) => name.startsWith("owner"))).toEqual([]);
  });

  it("is given way with by one that held it for long, when another waits", async () => {
    const [first, second] = [newLock(5_000), newLock(5_000)];
    await first.acquire(wanted);
    expect(await first.shouldYield()).toBe(false);
    const waiting = second.acquire(wanted);
    await expect.poll(() => first.shouldYield(), { timeout: 5_000, interval: 5 }).toBe(true);
    await first.release();
    const again = first.acquire(wanted);
    expect(await Promise.race([waiting.then(() => "second"), again.then(() => "first")])).toBe("second");
    await second.release();
    await again;
    await Promise.all([first.close(), second.close()]);
  });

  it("is let go by the next write when letting go failed", async () => {
    let refuse = false;
    const files: Files = {
      ...nodeFiles,
      link: (from, to) => (refuse ? Promise.reject(new Error("EIO")) : nodeFiles.link(from, to)),
    };
    const [first, second] = [newLock(60, files), newLock()];
    await first.acquire(wanted);
    refuse = true;
    await expect(first.release()).rejects.toThrow("EIO");
    refuse = false;
    expect(await first.acquire(wanted)).toBe(true);
    await first.release();
    expect(await second.acquire(wanted)).toBe(true);
    await second.close();
    await first.close();
  });
});

describe("a lock whose folder was taken away (ST-09)", () => {
  it("is held no more: a lock that others made in its place is theirs", async () => {
    const [first, second] = [newLock(), newLock()];
    await first.acquire(wanted);
    await rm(folder, { recursive: true });
    await second.acquire(wanted);
    await expect(first.release()).rejects.toThrow("ENOENT");
    await expect(first.acquire(wanted)).rejects.toThrow("ENOENT");
    await second.close();
  });

  it("is found to be lost by one that holds it for long", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const lock = newLock();
    await lock.acquire(wanted);
    vi.advanceTimersByTime(6_000);
    expect(await lock.isMine()).toBe(true);
    await rm(folder, { recursive: true });
    vi.advanceTimersByTime(6_000);
    expect(await lock.isMine()).toBe(false);
    await lock.close();
  });

  it("leaves no timer behind when it cannot be let go", async () => {
    const setTimer = systemClock.setTimer.bind(systemClock);
    let running = 0;
    vi.spyOn(systemClock, "setTimer").mockImplementation((...args) => {
      const stop = setTimer(...args);
      running++;
      return () => {
        running--;
        stop();
      };
    });
    const lock = newLock();
    await lock.acquire(wanted);
    expect(running).toBe(1);
    await rm(folder, { recursive: true });
    await expect(lock.close()).rejects.toThrow("ENOENT");
    expect(running).toBe(0);
  });
});

describe("a holder that is gone (ST-09)", () => {
  it("is passed over once its process was killed, and not before", async () => {
    const { child } = await processThatHolds(7);
    await expect(newLock().acquire(wanted)).rejects.toThrow(
      new RegExp(`not free for 60 ms: process ${child.pid} on .* has it. If it hangs, end it; .* \\(lockWaitMs\\)`),
    );
    await kill(child);
    const lock = newLock();
    expect(await lock.acquire(wanted)).toBe(true);
    await lock.close();
  });

  it("is waited for while its process is stopped: it may go on writing at any time", async () => {
    const { child } = await processThatHolds(7);
    child.kill("SIGSTOP");
    await expect(newLock(200).acquire(wanted)).rejects.toMatchObject({
      code: "store_failed",
      retryable: true,
      message: expect.stringMatching(
        new RegExp(`not free for 200 ms: process ${child.pid} on .* has it. It is stopped: let it go on`),
      ),
    });
  });

  it("is passed over when its process id belongs to another process now", async () => {
    const { owner } = await processThatHolds(7);
    await writeFile(join(folder, "owner-of-another"), JSON.stringify({ ...owner, startedAt: "1" }));
    const lock = newLock();
    expect(await lock.acquire(wanted)).toBe(true);
    await lock.close();
  });

  it("on another machine is passed over when it gave no sign for long, and waited for while it does", async () => {
    const owner = { pid: process.pid, machine: "elsewhere 1 2", startedAt: "1" };
    const file = await holdAs(owner, 3);
    const beating = setInterval(() => void utimes(file, new Date(), new Date()), 10);
    await expect(newLock(150).acquire(wanted)).rejects.toThrow(`process ${process.pid} on elsewhere`);
    clearInterval(beating);
    const lock = newLock(5_000);
    expect(await lock.acquire(wanted)).toBe(true);
    await lock.close();
  });

  it("on another machine is not passed over because the clock is set", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { child, owner } = await processThatHolds(3);
    child.kill("SIGSTOP");
    await writeFile(join(folder, "owner-of-another"), JSON.stringify({ ...owner, machine: "elsewhere 1 2" }));
    const lock = folderLock(nodeFiles, folder, { waitMs: 200 });
    // What is stopped here has the same id by chance.
    const waiting = expect(lock.acquire(wanted)).rejects.toThrow("If it hangs, end it");
    await expect.poll(() => readdir(folder)).toContain("wanted");
    vi.setSystemTime(Date.now() + 3_600_000);
    await waiting;
    await lock.close();
  });

  it("that was taken for gone holds nothing when it comes back late and lets go", async () => {
    let elsewhere = true;
    const files: Files = {
      ...nodeFiles,
      // As the process of another machine, which gives no sign while it is stopped.
      async open(path, mode) {
        const file = await nodeFiles.open(path, mode);
        const owner = { pid: 1, machine: "elsewhere 1 2" };
        const write = (_: Uint8Array, at: number) => file.write(Buffer.from(JSON.stringify(owner)), at);
        return elsewhere && mode === "create" ? { ...file, write } : file;
      },
      touch: async () => undefined,
    };
    const [late, other] = [newLock(60, files), newLock(5_000)];
    await late.acquire(wanted);
    elsewhere = false;
    for (let turn = 0; turn < 3; turn++) {
      await other.acquire(wanted);
      if (turn < 2) await other.release();
    }
    await late.release();
    await expect(late.acquire(wanted)).rejects.toMatchObject({ code: "store_failed" });
    expect(await other.isMine()).toBe(true);
    await Promise.all([late.close(), other.close()]);
  });

  it("is passed over when it left a file that nobody wrote whole", async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "5"), '{"pid":');
    const lock = newLock(5_000);
    expect(await lock.acquire(wanted)).toBe(true);
    await lock.close();
  });

  it("leaves a file of its own that the next store takes away", async () => {
    const { child } = await processThatHolds(7);
    await kill(child);
    const lock = newLock();
    await lock.acquire(wanted);
    expect(await readdir(folder)).not.toContain("owner-of-another");
    await lock.close();
  });

  it("is told from others by machine, process id and start", async () => {
    const here = await thisOwner();
    expect(readOwner(JSON.stringify(here))).toEqual(here);
    expect(await stateOf(here, here)).toBe("alive");
    expect(await stateOf({ ...here, startedAt: "1" }, here)).toBe("gone");
    expect(await stateOf({ ...here, machine: "elsewhere" }, here)).toBe("unsure");
    expect(await stateOf({ pid: here.pid, machine: here.machine }, here)).toBe("unsure");
    for (const text of ["", "[]", "{}", '{"pid":1}', '{"pid":"1","machine":"m"}'])
      expect(readOwner(text)).toBeUndefined();
  });
});

describe("many stores that want the lock, some of them slow, some killed at any step (ST-09)", () => {
  it("never hold it together, and never wait for ever", async () => {
    const dead = { ...(await thisOwner()), startedAt: "1" };
    let inside = 0;
    let most = 0;
    let turns = 0;
    let kills = 0;

    /** One store, slow at chance, that stops dead at some step. */
    const worker = async (): Promise<void> => {
      while (turns < 250) {
        const lifetime = 20 + Math.floor(Math.random() * 400);
        let steps = 0;
        let own = "";
        let die: () => void = () => {};
        const died = new Promise<"died">((resolve) => {
          die = () => resolve("died");
        });
        const step = async (): Promise<void> => {
          if (++steps > lifetime) {
            die();
            await new Promise(() => {});
          }
          const chance = Math.random();
          if (chance < 0.3) await new Promise((resolve) => setImmediate(resolve));
          if (chance < 0.06) await new Promise((resolve) => setTimeout(resolve, Math.random() * 25));
        };
        const slow = (files: Files): Files => ({
          ...files,
          async link(from, to) {
            own = from;
            await step();
            const made = await files.link(from, to);
            await step();
            return made;
          },
          async facts(path) {
            await step();
            return files.facts(path);
          },
          async names(path) {
            const names = await files.names(path);
            await step();
            return names;
          },
          async remove(path) {
            await step();
            await files.remove(path);
          },
        });
        const lock = folderLock(slow(nodeFiles), folder, { waitMs: 20_000 });
        const live = async (): Promise<void> => {
          while (turns < 250) {
            if (!(await lock.acquire(wanted))) return;
            most = Math.max(most, ++inside);
            turns++;
            if (Math.random() < 0.5) await new Promise((resolve) => setImmediate(resolve));
            inside--;
            await step();
            await lock.release();
          }
          await lock.close();
        };
        if ((await Promise.race([live(), died])) !== "died") return;
        kills++;
        // Its process is gone: the file that says whose it is now names one that does not run.
        if (own !== "") await writeFile(own, JSON.stringify(dead).padEnd(500), { flag: "r+" }).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(most).toBe(1);
    expect(turns).toBeGreaterThanOrEqual(250);
    expect(kills).toBeGreaterThan(3);
  }, 60_000);
});
