import { type CheckpointStore, type StoreCallOptions, throwIfAborted } from "@tinyagents/core";

/** Writes a call to the journal. Gives what came of it. */
type Write = (call: string, ...args: readonly unknown[]) => Promise<unknown>;

/** Methods of a store, by name. */
interface Methods {
  readonly [name: string]: (...given: readonly unknown[]) => Promise<unknown>;
}

/**
 * A store in memory that a journal is played to: what is written goes through it, what is read is read after it.
 * @param writes the writing methods, and how many arguments of each are data.
 */
export function journaled<Store extends object>(
  inMemory: Store,
  writes: { readonly [name: string]: number },
  write: Write,
  upToDate: () => void,
): Store {
  const methods = inMemory as unknown as Methods;
  const method = (name: string): Methods[string] => {
    const size = writes[name];
    if (size !== undefined)
      return async (...args) => {
        throwIfAborted((args[size] as StoreCallOptions | undefined)?.signal);
        return write(name, ...args.slice(0, size).filter((arg) => arg !== undefined));
      };
    return async (...args) => {
      upToDate();
      return methods[name]?.(...args);
    };
  };
  return Object.fromEntries(Object.keys(methods).map((name) => [name, method(name)])) as Store;
}

/** A checkpoint store in memory that a journal is played to. */
export function journaledCheckpoints(inMemory: CheckpointStore, write: Write, upToDate: () => void): CheckpointStore {
  const { capabilities, ...methods } = inMemory;
  const writes = { append: 2, putWrites: 2, claim: 2, deleteThread: 1, copyThread: 2, prune: 2 };
  return { capabilities, ...journaled(methods, writes, write, upToDate) };
}
