import { temporaryFolder } from "@tinyagents/conformance";
import { memoryBackend } from "@tinyagents/store-memory";
import { placeOf, type TestedBackend } from "./place.js";
import { mongodb, postgres } from "./servers.js";

const memory: TestedBackend = {
  name: "memory",
  durable: false,
  async place() {
    const backend = memoryBackend();
    return { open: async () => ({ ...backend, close: async () => {} }), remove: () => backend.close() };
  },
};

/** A backend whose place is a folder. What it has open is closed before the folder goes. */
function inFolder(type: "sqlite" | "jsonl"): TestedBackend {
  return {
    name: type,
    durable: true,
    async place() {
      const { path, remove } = temporaryFolder(type);
      return placeOf({ type, folder: path }, remove);
    },
  };
}

/** Every backend, and why those that cannot be tested here cannot. */
export const backends: readonly TestedBackend[] = [memory, inFolder("sqlite"), inFolder("jsonl"), postgres, mongodb];
