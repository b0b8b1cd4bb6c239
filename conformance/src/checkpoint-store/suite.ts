import type { CheckpointChain, CheckpointRow, CheckpointStore, CheckpointThread, JsonValue } from "@tinyagents/core";
import { type PlaceTopic, placeTopic } from "../store/place-topic.js";
import type { CheckpointNeed, CheckpointSituation } from "./subject.js";

/** Makes the checks of one topic. */
export const topic: (group: string) => PlaceTopic<CheckpointSituation, CheckpointNeed> = placeTopic;

/** The lineage that most checks use. */
export const THREAD: CheckpointThread = { threadId: "t", namespace: "" };

/** A row with this id, after a parent; on the base of the first row unless it says another. */
export function row(
  checkpointId: string,
  parentId: string | null,
  more: Partial<Omit<CheckpointRow, "checkpointId" | "parentId">> = {},
): CheckpointRow {
  return {
    v: 1,
    ...THREAD,
    checkpointId,
    parentId,
    baseId: parentId === null ? checkpointId : "c0",
    step: Number(checkpointId.replaceAll(/\D/g, "") || 0),
    createdAtMs: 1_700_000_000_000,
    metadata: { made: checkpointId },
    changes: { said: [checkpointId] },
    ...more,
  };
}

/** Adds rows, each on the one before as its head. */
export async function appendAll(checkpoints: CheckpointStore, rows: readonly CheckpointRow[]): Promise<void> {
  let expectedHead: string | null = null;
  for (const one of rows) {
    await checkpoints.append(one, { expectedHead });
    expectedHead = one.checkpointId;
  }
}

/** `c0` and so many more, each the child of the one before. */
export function line(count: number): readonly CheckpointRow[] {
  return Array.from({ length: count }, (_, at) => row(`c${at}`, at === 0 ? null : `c${at - 1}`));
}

export function idsOf(chain: CheckpointChain | undefined): readonly string[] | undefined {
  return chain?.rows.map(({ checkpointId }) => checkpointId);
}

/** What tasks left, by id: `{ a: { writes: [1] } }`. */
export function tasksOf(chain: CheckpointChain | undefined): { readonly [taskId: string]: unknown } {
  return Object.fromEntries((chain?.tasks ?? []).map(({ taskId, ...left }) => [taskId, left]));
}

/** What a task of the thread left after a checkpoint. */
export function left(
  checkpointId: string,
  taskId: string,
  what: { readonly writes?: readonly JsonValue[]; readonly control?: { readonly [name: string]: JsonValue } },
): Parameters<CheckpointStore["putWrites"]>[0] {
  return { ...THREAD, checkpointId, taskId, ...what };
}
