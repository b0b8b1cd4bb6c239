import { type RunStatusRecord, readRunStatus, type StoreKey } from "@tinyagents/core";
import { type RecordKind, timeName } from "../indexed/record-kind.js";

/** Statuses as records: found by when their run was accepted or began, among all of a state, of a thread, of a tree. */
export function runStatusKind(prefix: StoreKey): RecordKind<RunStatusRecord> {
  const time = ({ startedAtMs }: RunStatusRecord): string => timeName(startedAtMs);
  return {
    name: "status of run",
    prefix,
    read: readRunStatus,
    orders: {
      time: (status) => [time(status)],
      state: (status) => [status.state, time(status)],
      root: (status) => [status.rootRunId, time(status)],
      thread: (status) => (status.threadId === undefined ? undefined : [status.threadId, time(status)]),
    },
  };
}
