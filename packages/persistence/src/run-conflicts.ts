import { type JsonValue, TinyAgentsError } from "@tinyagents/core";
import type { LeaseEntry } from "./run-entry.js";

/** Where a conflict happened. */
interface Place {
  readonly stream: string;
  readonly runId: string;
}

/** Somebody else has written where only our own entries may stand. */
export function recordedByAnother(
  { stream, runId }: Place,
  expected: JsonValue,
  found: JsonValue,
  cause?: unknown,
): TinyAgentsError<"conflict"> {
  return new TinyAgentsError(
    "conflict",
    `Somebody else has recorded run "${runId}" meanwhile. Nothing was written; stop here, or load the run and go on from what is recorded.`,
    { details: { resource: stream, expected, found }, cause, runId },
  );
}

/** Somebody else owns the run, and may let go of it. */
export function ownedByAnother(
  { stream, runId }: Place,
  { by, fence, untilMs }: Pick<LeaseEntry, "by" | "fence" | "untilMs">,
): TinyAgentsError<"conflict"> {
  const end = untilMs === null ? "" : `, at the latest at ${new Date(untilMs).toISOString()} unless it is renewed`;
  return new TinyAgentsError(
    "conflict",
    `Run "${runId}" is being moved by somebody else. Nothing was done; try again when that has ended${end}.`,
    { details: { resource: stream, expected: null, found: { by, fence, untilMs } }, retryable: true, runId },
  );
}

/** A lease that was released, has run out and was given to another, or was taken over. */
export function ownedNoLonger({ stream, runId }: Place, fence: number): TinyAgentsError<"conflict"> {
  return new TinyAgentsError(
    "conflict",
    `Run "${runId}" is owned by lease ${fence} no longer. Nothing was written; stop here, or claim the run and go on from what is recorded.`,
    { details: { resource: stream, expected: fence, found: null }, runId },
  );
}

/** One of two drivers that share a recorder falls behind the other; so does a new run under an id that was used. */
export function fallenBehind({ stream, runId }: Place, steps: number, recorded: number): TinyAgentsError<"conflict"> {
  return new TinyAgentsError(
    "conflict",
    `The state of run "${runId}" has done ${steps} steps, and ${recorded} are recorded already. Nothing was written; ` +
      "load the run and go on from what is recorded, or give a new run an id of its own.",
    { details: { resource: stream, expected: recorded, found: steps }, runId },
  );
}
