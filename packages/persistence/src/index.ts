export { type ShortTermMemoryOptions, shortTermMemory } from "./memory.js";
export { type RunRecorderOptions, runRecorder } from "./run-recorder.js";
