import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryFolder } from "../store/temporary-folder.js";
import { bundle, findEsbuild } from "./bundle.js";
import type { SubjectModule } from "./subject-module.js";

/** A program that loads a subject and does with it what it is told. */
export interface ChildProgram {
  /** For `node`: the file, and what it is given. */
  readonly args: readonly string[];
  remove(): Promise<void>;
}

const SOURCE_CONDITION = "@tinyagents/source";

/**
 * What child processes of a subject run. TypeScript is bundled where esbuild is installed, which makes it start several
 * times as fast as when it is compiled as it is loaded.
 */
export async function childProgram({ module, exportName = "subject" }: SubjectModule): Promise<ChildProgram> {
  if (module === undefined) throw new TypeError("module: the file that exports the subject is expected.");
  const file = toPath(module);
  const fromSource = import.meta.url.endsWith(".ts");
  const root = dirname(createRequire(import.meta.url).resolve("@tinyagents/conformance/package.json"));
  const isTypeScript = extname(file).endsWith("ts");
  const esbuild = fromSource || isTypeScript ? findEsbuild(file) : undefined;
  if (esbuild === undefined) {
    if (fromSource) throw new TypeError("module: esbuild is needed to run from sources. Build the package first.");
    return { args: [join(root, "dist/child.js"), file, exportName], remove: async () => undefined };
  }
  const { path: folder, remove } = temporaryFolder("child");
  const outfile = join(folder, "child.mjs");
  const serve = join(root, fromSource ? "src/process/serve.ts" : "dist/serve.js");
  await bundle(esbuild, {
    contents: `import { serve } from ${JSON.stringify(serve)};
import * as subject from ${JSON.stringify(file)};
serve(subject[${JSON.stringify(exportName)}]);`,
    resolveDir: dirname(file),
    outfile,
    conditions: fromSource ? [SOURCE_CONDITION] : [],
  });
  return { args: [outfile], remove };
}

function toPath(module: string | URL): string {
  const url = typeof module === "string" && !module.startsWith("file:") ? pathToFileURL(module) : new URL(module);
  return fileURLToPath(url);
}
