export { type JsonlBackend, type JsonlOptions, jsonlBackend } from "./backend.js";
export type { Repair } from "./line-file.js";
