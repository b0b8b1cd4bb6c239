import { systemClock } from "@tinyagents/core";
import { tenantBackend } from "@tinyagents/persistence";
import { expect, it } from "vitest";
import { type WorkingAgent, workingAgent } from "../killed-process/working-agent.js";
import { onBackends } from "./on-backends.js";
import type { OpenBackend } from "./open-backend.js";

/** Ids of runs, threads and tenants that mean something elsewhere: to paths, patterns, queries, objects and terminals. */
const IDS = ["r", "r/x", "r%2Fx", "..", "*", "%", "__proto__", "' OR 1=1 --", '{"$gt":""}', "\u0000"];

function agentIn(backend: OpenBackend): WorkingAgent {
  return workingAgent({ backend, clock: systemClock, leaseMs: 60_000, hanging: [], tell: () => {} });
}

/** What is stored of a run: phases, questions of its thread, states of it and the run below it, and how many events. */
async function storedOf({ recorder, memory, statuses, journal }: WorkingAgent, id: string) {
  const recorded = await recorder.load(id);
  const thread = await memory.load(id);
  const { items } = await statuses.list({ threadId: id });
  const { entries } = await journal.read({ rootRunId: id });
  return {
    phase: recorded?.state.phase,
    runId: recorded?.state.config.runId,
    questions: thread?.state.messages.filter(({ role }) => role === "user").length,
    statuses: Object.fromEntries(items.map(({ runId, state }) => [runId, state])),
    ends: entries.filter(({ type }) => type === "event").length > 20,
  };
}

function whole(id: string) {
  return {
    phase: "done",
    runId: id,
    questions: 1,
    statuses: { [id]: "completed", [`${id}/help`]: "completed" },
    ends: true,
  };
}

const NOTHING = { phase: undefined, runId: undefined, questions: undefined, statuses: {}, ends: false };

onBackends("runs, threads and tenants whose ids are made of anything (SE-04, SE-06, ST-03)", (opened) => {
  it("have each what is theirs, and lose it alone", async () => {
    const { backend } = opened();
    const worker = agentIn(backend);
    for (const id of IDS) await worker.agent.invoke("Do all.", { runId: id, threadId: id });
    await worker.close();
    const reader = agentIn(await opened().reopen());
    for (const id of IDS) expect(await storedOf(reader, id)).toEqual(whole(id));
    expect([...(await reader.journal.runs())].sort()).toEqual([...IDS].sort());
    for (const id of ["*", "%", "..", "__proto__"]) {
      expect([await reader.journal.delete(id), await reader.statuses.delete(id)]).toEqual([true, true]);
      expect(await reader.journal.delete(id)).toBe(false);
    }
    for (const id of ["r", "r/x", "' OR 1=1 --"]) expect(await storedOf(reader, id)).toEqual(whole(id));
    await reader.close();
  });

  it("see nothing of other tenants, under the same ids of runs and threads", async () => {
    const { backend } = opened();
    const tenants = IDS.slice(0, 5);
    for (const tenant of tenants.slice(1)) {
      const worker = agentIn({ ...backend, ...tenantBackend(backend, tenant) });
      await worker.agent.invoke("Do all.", { runId: "r", threadId: "r" });
      await worker.close();
    }
    const [none = "", ...others] = tenants;
    for (const tenant of others) {
      const reader = agentIn({ ...backend, ...tenantBackend(backend, tenant) });
      expect(await storedOf(reader, "r")).toEqual(whole("r"));
      expect(await reader.journal.runs()).toEqual(["r"]);
    }
    const stranger = agentIn({ ...backend, ...tenantBackend(backend, none) });
    expect(await storedOf(stranger, "r")).toEqual(NOTHING);
    expect(await stranger.journal.runs()).toEqual([]);
    expect((await stranger.statuses.list()).items).toEqual([]);
  });
});
