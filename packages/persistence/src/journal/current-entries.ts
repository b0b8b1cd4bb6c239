import type { AgentEvent, JournalEntry } from "@tinyagents/core";

/** The number of an event in its run, and, of a fragment, its number after that. */
interface Place {
  readonly seq: number;
  readonly part: number;
}

/**
 * What still holds of a journal, in its order. A run that was cut off goes on from its last recorded state and tells what
 * comes after that state once more, perhaps otherwise: what it had told the first time is dropped. A tool call whose result
 * was recorded is not run again, so what was told of it holds, but for its end where that is told again. Views of a run are
 * made from these, and know them by their offsets: what holds from before and what was told anew may have one id. Gaps stay.
 */
export function currentEntries(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const runs = new Map<string, RunEntries>();
  entries.forEach((entry, index) => {
    if (entry.type === "gap") return;
    const run = runs.get(entry.event.runId) ?? new RunEntries();
    runs.set(entry.event.runId, run);
    run.add(index, placeOf(entry.event), entry.type === "event" ? entry.event : undefined);
  });
  const dropped = new Set([...runs.values()].flatMap((run) => run.dropped()));
  return dropped.size === 0 ? entries : entries.filter((_, index) => !dropped.has(index));
}

interface Told {
  readonly index: number;
  readonly place: Place;
  /** What happened to which tool call; absent for what is not about one. */
  readonly ofCall: { readonly callId: string; readonly what: string } | undefined;
}

/** The entries of one run: those that hold, and those from before it went back. */
class RunEntries {
  readonly #told: Told[] = [];
  readonly #before: Told[] = [];

  add(index: number, place: Place, event: AgentEvent | undefined): void {
    for (let last = this.#told.at(-1); last !== undefined && !comesAfter(place, last.place); last = this.#told.at(-1)) {
      this.#before.push(last);
      this.#told.pop();
    }
    this.#told.push({ index, place, ofCall: event === undefined ? undefined : ofCall(event) });
  }

  dropped(): readonly number[] {
    const last = new Map<string, number>();
    for (const { index, ofCall } of [...this.#before, ...this.#told]) {
      if (ofCall === undefined) continue;
      const id = idOf(ofCall.callId, ofCall.what);
      last.set(id, Math.max(index, last.get(id) ?? -1));
    }
    const holds = ({ index, ofCall }: Told): boolean =>
      ofCall !== undefined &&
      // A call is approved before it starts.
      (ofCall.what.startsWith("approval.") || index >= (last.get(idOf(ofCall.callId, "tool.started")) ?? -1)) &&
      (ofCall.what === "tool.delta" || index === last.get(idOf(ofCall.callId, ofCall.what)));
    return this.#before.filter((told) => !holds(told)).map(({ index }) => index);
  }
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
