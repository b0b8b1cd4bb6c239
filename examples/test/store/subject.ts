import { join } from "node:path";
import { temporaryFolder } from "@tinyagents/conformance";
import type { JsonValue } from "@tinyagents/core";
import { jsonFileBackend } from "../../src/store/json-file-store.js";

/** The store of `docs/writing-a-store.md`, for the suites: a new folder for each check. */
export const subject = {
  name: "one JSON file",
  module: import.meta.url,
  async create() {
    const { path: folder, remove } = temporaryFolder("json-file");
    const file = join(folder, "records.json");
    return {
      ref: { file },
      open: () => jsonFileBackend(file),
      remove,
    };
  },
  openAt: (ref: JsonValue) => jsonFileBackend((ref as { readonly file: string }).file),
};
