import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Programs as one file each, made from the sources of all packages: no build has to come first. */
export const generated: string = fileURLToPath(new URL("../.generated/", import.meta.url));

export async function setup(): Promise<void> {
  rmSync(generated, { recursive: true, force: true });
  await build({
    entryPoints: ["demo", "persistence", "weather"].map((name) =>
      fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url)),
    ),
    outdir: generated,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tinyagents/source"],
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    logLevel: "error",
  });
}
