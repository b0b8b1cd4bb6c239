import { type IdSource, type ManualClock, manualClock, type RandomSource, sequentialIds } from "@tinyagents/core";
import { type EventRecorder, eventRecorder } from "./event-recorder.js";
import { seededRandom } from "./seeded-random.js";

/** What a run takes from outside, made so that two runs of a test come out the same. Spread it into run options. */
export interface TestSurroundings {
  readonly clock: ManualClock;
  readonly ids: IdSource;
  readonly random: RandomSource;
  readonly events: EventRecorder;
}

/** A manual clock at `startMs` (default 0), counted ids, chance by `seed` (default 1), and an event recorder. */
export function testSurroundings({
  startMs = 0,
  seed = 1,
}: {
  readonly startMs?: number;
  readonly seed?: number;
} = {}): TestSurroundings {
  return {
    clock: manualClock({ startMs }),
    ids: sequentialIds(),
    random: seededRandom(seed),
    events: eventRecorder(),
  };
}
