import type { CheckpointStore } from "@tinyagents/core";

type Method = Exclude<keyof CheckpointStore, "capabilities">;

/** The writing methods, and how many arguments of each are data. */
const WRITES: { readonly [M in Method]?: number } = {
  append: 2,
  putWrites: 2,
  claim: 2,
  deleteThread: 1,
  copyThread: 2,
  prune: 2,
};

/** Checkpoints in memory that a journal is played to: what is written goes through it, what is read is read after it. */
export function journaledCheckpoints(
  inMemory: CheckpointStore,
  write: (call: Method, ...args: readonly unknown[]) => Promise<unknown>,
  upToDate: () => void,
): CheckpointStore {
  const method = (name: Method): unknown => {
    const size = WRITES[name];
    if (size !== undefined)
      return (...args: readonly unknown[]) => write(name, ...args.slice(0, size).filter((arg) => arg !== undefined));
    return async (...args: readonly never[]) => {
      upToDate();
      return (inMemory[name] as (...given: readonly never[]) => Promise<unknown>)(...args);
    };
  };
  const { capabilities, ...methods } = inMemory;
  const names = Object.keys(methods) as readonly Method[];
  return { capabilities, ...Object.fromEntries(names.map((name) => [name, method(name)])) } as CheckpointStore;
}
