// All that is kept of agents, of two tenants in one SQLite file, encrypted. Killed at any moment and started again, it goes on.
// It needs no key of a vendor: a script stands in for a model.
import { claimNextTask, fanOut, storeRegistry, tool } from "@tinyagents/core";
import { createAgent } from "@tinyagents/harness";
import {
  artifactIndex,
  encryptedLog,
  encryptedStore,
  eventJournal,
  journaledRecorder,
  runRecorder,
  runStatusSink,
  runStatusStore,
  shortTermMemory,
  taskStore,
  tenantBackend,
} from "@tinyagents/persistence";
import { type SqliteBackend, sqliteBackend } from "@tinyagents/store-sqlite";
import { scriptedModel } from "@tinyagents/testkit";
import { z } from "zod";

const [path = "agents.db", hexKey = "", taskId = "report-1"] = process.argv.slice(2);
if (!/^[0-9a-f]{64}$/.test(hexKey)) {
  console.error("Usage: persistence FILE KEY [TASK], where KEY is 64 hexadecimal digits");
  process.exit(2);
}
const keys = { keys: { main: Uint8Array.from(Buffer.from(hexKey, "hex")) }, currentKeyId: "main" };

const saveReport = tool({
  name: "save_report",
  description: "Keeps a report.",
  input: z.object({ text: z.string() }),
  execute: async ({ text }, { saveArtifact }) => {
    await saveArtifact({ data: text, mediaType: "text/plain", name: "report.txt" });
    return "kept";
  },
});

/** What one tenant has: nobody else sees it, and who has the file alone reads none of it. */
function tenant(backend: SqliteBackend, id: string) {
  const own = tenantBackend(backend, id);
  const store = encryptedStore(own.store, keys);
  const log = encryptedLog(own.log, keys);
  const content = artifactIndex(store, { content: store });
  const statuses = runStatusStore(store);
  const status = runStatusSink(statuses);
  const journal = eventJournal(log);
  // A step counts only when its events and what they change of the status are stored.
  const told = { flush: async () => void (await Promise.all([journal.flush(), status.flush()])) };
  const recorder = journaledRecorder(runRecorder(log), told);
  const memory = shortTermMemory(store);
  const agent = createAgent({
    name: "writer",
    model: scriptedModel([
      { toolCalls: [{ name: "save_report", args: { text: `${id} sold more oars.` } }] },
      "The report is kept.",
    ]),
    tools: [saveReport],
    memory,
    recorder,
    events: fanOut([journal.sink(), status]),
    stores: storeRegistry({ stores: { artifacts: content.store } }),
  });
  return { agent, memory, recorder, journal, statuses, status, artifacts: content, tasks: taskStore(store) };
}

/** Does what is to be done for a tenant, or says that it is done. */
async function work({ agent, recorder, tasks }: ReturnType<typeof tenant>, id: string): Promise<void> {
  await tasks.create({ taskId, kind: "report", input: { about: `sales of ${id}` } });
  const task = await claimNextTask(tasks, { by: `worker ${process.pid}`, kinds: ["report"], leaseMs: 30_000 });
  if (task?.lease === undefined) return console.log(`${id}: nothing is to be done`);
  const left = await recorder.load(task.taskId);
  const run =
    left === undefined
      ? await agent.invoke(`Report the ${JSON.stringify(task.input)}.`, { runId: task.taskId, threadId: "reports" })
      : await agent.resume(task.taskId);
  await tasks.act(task.taskId, { type: "succeed", fence: task.lease.fence, result: run.text });
}

async function show(kept: ReturnType<typeof tenant>, id: string): Promise<void> {
  const thread = await kept.memory.load("reports");
  const statuses = await kept.statuses.list({ threadId: "reports" });
  const artifacts = await kept.artifacts.list({ threadId: "reports" });
  const { entries } = await kept.journal.read({ rootRunId: taskId });
  console.log(`${id}: ${thread?.state.messages.length} messages, ${entries.length} events`);
  console.log(`${id}: runs ${statuses.items.map(({ runId, state }) => `${runId} ${state}`).join(", ")}`);
  for (const { key } of artifacts.items) {
    const content = (await kept.artifacts.store.get(key))?.value;
    console.log(`${id}: report ${content?.type === "text" ? content.text : content?.type}`);
  }
}

const backend = sqliteBackend({ path });
for (const id of ["acme", "globex"]) {
  const kept = tenant(backend, id);
  await work(kept, id);
  await kept.journal.flush();
  await kept.status.close();
  await show(kept, id);
}
await backend.close();
