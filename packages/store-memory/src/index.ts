export { memoryAppendStore } from "./append-store.js";
export { type MemoryStoreOptions, memoryStore } from "./store.js";
