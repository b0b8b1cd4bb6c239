import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckpointStoreSubject, OpenCheckpoints } from "@tinyagents/conformance";
import type { CheckpointStore, JsonValue } from "@tinyagents/core";
import { type CheckpointMemory, checkpointsOn, type Lineage } from "./memory-checkpoints.js";

/** `looks_then_writes`: nobody is kept out between what is read and what is written. */
export type FileFault = "looks_then_writes";

interface Ref {
  readonly folder: string;
  readonly fault?: FileFault;
}

const CAPABILITIES = { durable: true, multiProcess: true };
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** The plainest checkpoint store for several processes: one file, read and written as a whole behind a lock. */
function fileCheckpoints({ folder, fault }: Ref): CheckpointStore {
  const [lock, file] = [join(folder, "lock"), join(folder, "all.json")];
  const locked = async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        mkdirSync(lock);
        break;
      } catch {
        await pause();
      }
    }
    return work().finally(() => rmdirSync(lock));
  };
  const inTurn = fault === undefined ? locked : <T>(work: () => Promise<T>): Promise<T> => work();
  const call =
    (name: Exclude<keyof CheckpointStore, "capabilities">) =>
    (...args: readonly never[]): Promise<never> =>
      inTurn(async () => {
        const memory = readAll(file);
        if (fault !== undefined) await pause();
        const outcome = await (
          checkpointsOn(memory, CAPABILITIES)[name] as (...all: readonly never[]) => Promise<never>
        )(...args);
        writeAll(file, memory);
        return outcome;
      });
  return {
    capabilities: CAPABILITIES,
    append: call("append"),
    putWrites: call("putWrites"),
    claim: call("claim"),
    load: call("load"),
    list: call("list"),
    threads: call("threads"),
    namespaces: call("namespaces"),
    deleteThread: call("deleteThread"),
    copyThread: call("copyThread"),
    prune: call("prune"),
  };
}

type Stored = readonly (readonly [string, readonly (readonly [string, Lineage & { used: readonly string[] }])[]])[];

function readAll(file: string): CheckpointMemory {
  const stored = JSON.parse(readFileSync(file, "utf8")) as Stored;
  const threads = stored.map(
    ([id, graphs]) =>
      [id, new Map(graphs.map(([name, one]) => [name, { ...one, used: new Set(one.used) }] as const))] as const,
  );
  return { opened: 1, threads: new Map(threads) };
}

function writeAll(file: string, { threads }: CheckpointMemory): void {
  const stored = [...threads].map(([id, graphs]) => [
    id,
    [...graphs].map(([name, one]) => [name, { ...one, used: [...one.used] }]),
  ]);
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, JSON.stringify(stored));
  renameSync(whole, file);
}

/** A subject that keeps every promise, or has one fault. */
export function fileSubject(fault?: FileFault): CheckpointStoreSubject {
  const openAt = (ref: JsonValue): OpenCheckpoints => ({ checkpoints: fileCheckpoints(ref as unknown as Ref) });
  return {
    name: "file",
    module: import.meta.url,
    create() {
      const folder = mkdtempSync(join(tmpdir(), "tinyagents-checkpoints-"));
      writeFileSync(join(folder, "all.json"), "[]");
      const ref = fault === undefined ? { folder } : { folder, fault };
      return { ref, open: () => openAt(ref), remove: async () => rmSync(folder, { recursive: true, force: true }) };
    },
    openAt,
  };
}

export const subject: CheckpointStoreSubject = fileSubject();
