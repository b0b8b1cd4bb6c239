import { type ShortTermMemory, type ThreadState, TinyAgentsError } from "@tinyagents/core";

/** Memory of threads in this process. */
export interface Threads extends ShortTermMemory {
  readonly saves: readonly { readonly threadId: string; readonly state: ThreadState }[];
}

export function threads(known: { readonly [threadId: string]: ThreadState } = {}): Threads {
  const kept = new Map(Object.entries(known).map(([id, state]) => [id, { state, version: "1" }]));
  const saves: { threadId: string; state: ThreadState }[] = [];
  return {
    saves,
    async load(threadId) {
      return structuredClone(kept.get(threadId));
    },
    async save(threadId, state, { ifVersion }) {
      const found = kept.get(threadId)?.version ?? null;
      if (found !== ifVersion) {
        throw new TinyAgentsError("conflict", `Thread ${threadId} was saved by another run.`, {
          details: { resource: threadId, expected: ifVersion, found },
        });
      }
      const version = String(Number(found ?? 0) + 1);
      const copy = structuredClone(state);
      kept.set(threadId, { state: copy, version });
      saves.push({ threadId, state: copy });
      return version;
    },
  };
}
