import {
  type AgentEvent,
  copyStoredJson,
  emptyUsage,
  type JsonObject,
  type RunAdmission,
  type RunCounters,
  type RunStatusRecord,
} from "@tinyagents/core";
import { checkId, withoutUndefined } from "../indexed/arguments.js";

const NOTHING_COUNTED: RunCounters = {
  failedModelCalls: 0,
  failedToolCalls: 0,
  retries: 0,
  fallbacks: 0,
  corrections: 0,
  children: 0,
  resumes: 0,
};

type Identity = Pick<
  RunStatusRecord,
  "runId" | "rootRunId" | "parentRunId" | "threadId" | "component" | "tags" | "metadata"
>;

/** The status of a run that was accepted, and has not begun. @throws `invalid_request` */
export function acceptedStatus(admission: RunAdmission, nowMs: number): RunStatusRecord {
  const { runId, rootRunId = runId, parentRunId, threadId, component, tags, metadata } = admission;
  checkId(runId, "admission.runId");
  checkId(rootRunId, "admission.rootRunId");
  checkId(component, "admission.component");
  if (threadId !== undefined) checkId(threadId, "admission.threadId");
  const said = withoutUndefined({ parentRunId, threadId, tags, metadata });
  const copied = copyStoredJson(said, "admission") as unknown as Pick<Identity, "threadId">;
  return statusOf({ runId, rootRunId, component, ...copied }, nowMs);
}

/** The status of a run of which nothing was known before this event. */
export function statusBefore(event: AgentEvent): RunStatusRecord {
  const { runId, rootRunId, parentRunId, threadId, component, tags, metadata } = event;
  const said = withoutUndefined({ parentRunId, threadId, tags, metadata }) as Pick<Identity, "threadId"> & {
    readonly metadata?: JsonObject;
  };
  return statusOf({ runId, rootRunId, component, ...said }, event.timeMs);
}

function statusOf(identity: Identity, nowMs: number): RunStatusRecord {
  return {
    v: 1,
    ...identity,
    state: "accepted",
    phase: "start",
    counters: NOTHING_COUNTED,
    activeCalls: [],
    usage: emptyUsage(),
    usageByModel: [],
    cost: null,
    unpricedCalls: 0,
    requests: [],
    lastSeq: -1,
    startedAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}
