import { isJsonObject, type Store, type StoreKey } from "@tinyagents/core";

/** A run that was begun and has not ended, as far as is known. */
export interface Unfinished {
  readonly runId: string;
  readonly question: string;
}

/** The one run of a thread, or of none, that is not done: noted before it begins, so that it is found after a crash. */
export interface UnfinishedRun {
  find(): Promise<Unfinished | undefined>;
  note(run: Unfinished): Promise<void>;
  forget(): Promise<void>;
}

/** Where the run of a thread (absent: of questions outside of threads) is noted. */
export function unfinishedRun(store: Store, thread: string | undefined): UnfinishedRun {
  const key: StoreKey = thread === undefined ? ["demo", "run"] : ["demo", "run", thread];
  return {
    async find() {
      const found = (await store.get(key))?.value;
      if (found?.type !== "json" || !isJsonObject(found.value)) return undefined;
      const { runId, question } = found.value;
      return typeof runId === "string" && typeof question === "string" ? { runId, question } : undefined;
    },
    async note({ runId, question }) {
      await store.put(key, { type: "json", value: { runId, question } });
    },
    async forget() {
      await store.delete(key);
    },
  };
}
