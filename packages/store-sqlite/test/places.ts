import { join } from "node:path";
import { temporaryFolder } from "@tinyagents/conformance";

/** A new folder for databases. */
export function databaseFolder(): { path(name: string): string; remove(): Promise<void> } {
  const { path, remove } = temporaryFolder("sqlite");
  return { path: (name) => join(path, name), remove };
}
