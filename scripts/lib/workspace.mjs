import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const SKIP = new Set(["node_modules", "dist", "coverage", ".git", ".turbo", ".generated"]);
const TOP_LEVEL = ["conformance", "examples", "integration", "bench"];

/**
 * The packages of the workspace.
 * @returns {{ name: string, dir: string, at: string, manifest: any, isPublic: boolean }[]} `dir` is relative to the
 *   root, `at` is absolute.
 */
export function readPackages(from = root) {
  const inPackages = existsSync(join(from, "packages")) ? readdirSync(join(from, "packages")).sort() : [];
  return [...inPackages.map((name) => `packages/${name}`), ...TOP_LEVEL]
    .filter((dir) => existsSync(join(from, dir, "package.json")))
    .map((dir) => {
      const manifest = readJson(join(from, dir, "package.json"));
      return { name: manifest.name, dir, at: join(from, dir), manifest, isPublic: manifest.private !== true };
    });
}

/** Every file below a folder, as absolute paths in a stable order; built and installed files aside. */
export function listFiles(dir) {
  if (!existsSync(dir)) return [];
  if (statSync(dir).isFile()) return [dir];
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => !SKIP.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(dir, entry.name)) : [join(dir, entry.name)]));
}

export function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
