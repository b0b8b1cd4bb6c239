import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder for databases. */
export function temporaryFolder(): { path(name: string): string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "store-sqlite-"));
  return { path: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
