export { memoryAppendStore } from "./append-store.js";
export { type MemoryBackend, memoryBackend } from "./backend.js";
export { type MemoryStoreOptions, memoryStore } from "./store.js";
