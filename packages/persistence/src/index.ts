export { type CheckpointStoreOptions, checkpointStore } from "./checkpoints/checkpoint-store.js";
export { type ShortTermMemoryOptions, shortTermMemory } from "./memory.js";
export { type RunRecorderOptions, runRecorder } from "./run-recorder.js";
