export { type CheckpointStoreOptions, checkpointStore } from "./checkpoints/checkpoint-store.js";
export { type ShortTermMemoryOptions, shortTermMemory } from "./memory.js";
export { type RunRecorderOptions, runRecorder } from "./run-recorder.js";
export { foldRunStatus } from "./status/fold.js";
export { type RunStatusSink, type RunStatusSinkOptions, runStatusSink } from "./status/sink.js";
export { type RunStatusStoreOptions, runStatusStore } from "./status/store.js";
