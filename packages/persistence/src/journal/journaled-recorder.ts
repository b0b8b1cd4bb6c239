import type { EventJournal, LeasingRecorder } from "@tinyagents/core";

/**
 * A recorder that records a step or a result only when the journal has the events up to it. So a process that is killed
 * leaves no event out that the resumed run would not tell again; and a run whose journal cannot be written fails.
 */
export function journaledRecorder(recorder: LeasingRecorder, journal: Pick<EventJournal, "flush">): LeasingRecorder {
  return {
    load: (runId) => recorder.load(runId),
    claim: (runId, options) => recorder.claim(runId, options),
    renew: (lease) => recorder.renew(lease),
    release: (lease) => recorder.release(lease),
    async step(state, options) {
      await journal.flush();
      await recorder.step(state, options);
    },
    async toolResult(runId, callId, result, options) {
      await journal.flush();
      await recorder.toolResult(runId, callId, result, options);
    },
  };
}
