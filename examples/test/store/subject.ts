import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue } from "@tinyagents/core";
import { jsonFileBackend } from "../../src/store/json-file-store.js";

/** The store of `docs/writing-a-store.md`, for the suites: a new folder for each check. */
export const subject = {
  name: "one JSON file",
  module: import.meta.url,
  async create() {
    const folder = await mkdtemp(join(tmpdir(), "tinyagents-json-file-"));
    const file = join(folder, "records.json");
    return {
      ref: { file },
      open: () => jsonFileBackend(file),
      remove: () => rm(folder, { recursive: true, force: true }),
    };
  },
  openAt: (ref: JsonValue) => jsonFileBackend((ref as { readonly file: string }).file),
};
