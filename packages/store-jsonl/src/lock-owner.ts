import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { isJsonObject, type JsonValue, systemCodeOf } from "@tinyagents/core";

/** Who holds a lock: enough to tell, on the same machine, whether that process still runs. */
export interface LockOwner {
  readonly pid: number;
  /** Where process ids mean the same: host, start of the machine, and container. */
  readonly machine: string;
  /** When the process started, in ticks of the machine: a process id is given again to others. Absent: not known here. */
  readonly startedAt?: string;
}

/** `gone`: it cannot hold anything any more. `unsure`: only its heartbeat tells. */
export type OwnerState = "alive" | "gone" | "unsure";

/** This process. */
export async function thisOwner(): Promise<LockOwner> {
  const [boot, space, startedAt] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "latin1").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
    startOf(process.pid),
  ]);
  return {
    pid: process.pid,
    machine: [hostname(), boot.trim(), space].join(" "),
    ...(typeof startedAt === "string" ? { startedAt } : {}),
  };
}

/** The owner that a lock file names; nothing for a file that no process wrote whole. */
export function readOwner(text: string): LockOwner | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const { pid, machine, startedAt } = value;
  if (typeof pid !== "number" || typeof machine !== "string") return undefined;
  return { pid, machine, ...(typeof startedAt === "string" ? { startedAt } : {}) };
}

/** Whether the process of an owner still runs. */
export async function stateOf(owner: LockOwner, here: LockOwner): Promise<OwnerState> {
  if (owner.machine !== here.machine) return "unsure";
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // Any other answer is about a process that is there, and is not ours.
    if (systemCodeOf(error) === "ESRCH") return "gone";
  }
  if (owner.startedAt === undefined || here.startedAt === undefined) return "unsure";
  const startedAt = await startOf(owner.pid);
  return startedAt === owner.startedAt ? "alive" : "gone";
}

/** An owner that does not let go: what messages call it, and a sentence that says what to do. */
export async function describeOwner(
  { pid, machine }: LockOwner,
  here: LockOwner,
): Promise<{ readonly name: string; readonly advice: string }> {
  const name = `process ${pid} on ${machine.split(" ")[0]}`;
  const [state] = machine === here.machine ? await statOf(pid) : [];
  const isStopped = state === "T" || state === "t";
  const advice = isStopped
    ? "It is stopped: let it go on (SIGCONT), or end it."
    : "If it hangs, end it; if it is only slow, let writes wait longer (lockWaitMs).";
  return { name, advice };
}

/** When a process started; `zombie` for one that has ended and was not collected; nothing where that is not known. */
async function startOf(pid: number): Promise<string | undefined> {
  const fields = await statOf(pid);
  return fields[0] === "Z" || fields[0] === "X" ? "zombie" : fields[19];
}

/** What Linux tells of a process, from its state on; nothing elsewhere. */
async function statOf(pid: number): Promise<readonly string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => "");
  // The name of the program is in parentheses, and may have spaces and parentheses itself.
  return stat === "" ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
