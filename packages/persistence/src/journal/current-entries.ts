import type { AgentEvent, JournalEntry, JournaledEvent, WithheldEvent } from "@tinyagents/core";

/** The number of an event in its run, and, of a fragment, its number after that. */
interface Place {
  readonly seq: number;
  readonly part: number;
}

/** An entry of one run. */
interface Told {
  readonly index: number;
  readonly attempt: number;
  readonly place: Place;
  /** What happened to which tool call; absent for what is not about one. */
  readonly ofCall: { readonly callId: string; readonly what: string } | undefined;
}

/**
 * What still holds of a journal, in its order. A run that was cut off goes on from its last recorded state and tells what
 * comes after that state once more, in a higher attempt and perhaps otherwise: what earlier attempts tell of that is dropped,
 * however late it got into the journal. A tool call whose result was recorded is not run again, so what was told of it holds,
 * but for its end where that is told again. Views of a run are made from these, and know them by `id` and `attempt`. Gaps stay.
 */
export function currentEntries(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const runs = new Map<string, Told[]>();
  entries.forEach((entry, index) => {
    if (entry.type === "gap") return;
    const { runId } = entry.event;
    const run = runs.get(runId);
    if (run === undefined) runs.set(runId, [toldBy(entry, index)]);
    else run.push(toldBy(entry, index));
  });
  const dropped = new Set([...runs.values()].flatMap(droppedOf));
  return dropped.size === 0 ? entries : entries.filter((_, index) => !dropped.has(index));
}

function toldBy(entry: JournaledEvent | WithheldEvent, index: number): Told {
  const { attempt } = entry.event;
  return {
    index,
    attempt,
    place: placeOf(entry.event),
    ofCall: entry.type === "event" ? ofCall(entry.event) : undefined,
  };
}

/** Indexes of the entries of a run that hold no longer. */
function droppedOf(run: readonly Told[]): readonly number[] {
  // Whoever was overtaken may have told its last words when the next attempt had begun.
  const told = run.toSorted((one, other) => one.attempt - other.attempt);
  const last = lastOfCalls(told);
  const lastOf = (callId: string, what: string): number => last.get(idOf(callId, what)) ?? -1;
  const holds = ({ ofCall }: Told, at: number): boolean =>
    ofCall !== undefined &&
    // A call is approved before it starts.
    (ofCall.what.startsWith("approval.") || at >= lastOf(ofCall.callId, "tool.started")) &&
    (ofCall.what === "tool.delta" || at === lastOf(ofCall.callId, ofCall.what));
  const undone = undoneIn(told);
  return told.filter((one, at) => undone.has(one) && !holds(one, at)).map(({ index }) => index);
}

/** Those after which the run went back to where it was before them. */
function undoneIn(told: readonly Told[]): ReadonlySet<Told> {
  const undone = new Set<Told>();
  const standing: Told[] = [];
  for (const one of told) {
    for (let last = standing.at(-1); last !== undefined && !comesAfter(one.place, last.place); last = standing.at(-1)) {
      undone.add(last);
      standing.pop();
    }
    standing.push(one);
  }
  return undone;
}

/** Where each thing was told of each call for the last time. */
function lastOfCalls(told: readonly Told[]): ReadonlyMap<string, number> {
  const last = new Map<string, number>();
  told.forEach(({ ofCall }, at) => {
    if (ofCall !== undefined) last.set(idOf(ofCall.callId, ofCall.what), at);
  });
  return last;
}

const OF_CALLS = /^(tool|sub_agent|approval)\./;

function ofCall({ type, data }: AgentEvent): Told["ofCall"] {
  if (!OF_CALLS.test(type) || !("callId" in data) || typeof data.callId !== "string") return undefined;
  return { callId: data.callId, what: type === "tool.failed" ? "tool.completed" : type };
}

function idOf(callId: string, what: string): string {
  return `${what} ${callId}`;
}

function placeOf({ id, runId, seq }: { readonly id: string; readonly runId: string; readonly seq: number }): Place {
  const part = id.startsWith(`${runId}/${seq}.`) ? Number(id.slice(`${runId}/${seq}.`.length)) : 0;
  return { seq, part: Number.isFinite(part) ? part : 0 };
}

function comesAfter(one: Place, other: Place): boolean {
  return one.seq > other.seq || (one.seq === other.seq && one.part > other.part);
}
