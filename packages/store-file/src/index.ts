export { type FileBackend, type FileOptions, fileBackend } from "./backend.js";
