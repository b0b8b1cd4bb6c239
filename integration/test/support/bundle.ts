import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Export conditions of where a bundle is to run. */
export const CONDITIONS = {
  browser: ["browser"],
  workerd: ["workerd", "worker", "browser"],
} as const;

/** A program with all that it imports. */
export interface Bundle {
  readonly code: string;
  /** Names of the packages that it contains: scoped ones with their scope. */
  readonly packages: readonly string[];
}

/**
 * Bundles a program with our packages as they are built, for a platform without Node.
 * @throws when something in it needs Node.
 */
export async function bundle(program: URL, platform: keyof typeof CONDITIONS): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(program)],
    outfile: "bundle.js",
    bundle: true,
    platform: "browser",
    format: "esm",
    target: "es2022",
    conditions: [...CONDITIONS[platform]],
    tsconfigRaw: {},
    metafile: true,
    write: false,
    logLevel: "error",
  });
  return {
    code: outputFiles.map(({ text }) => text).join(""),
    packages: [...new Set(Object.keys(metafile.inputs).flatMap(packageOf))].sort(),
  };
}

/** Of `../packages/core/dist/index.js` and of files in `node_modules`. */
function packageOf(file: string): readonly string[] {
  const ours = /(?:^|\/)packages\/([^/]+)\/dist\//.exec(file)?.[1];
  if (ours !== undefined) return [`@tinyagents/${ours}`];
  const installed = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
  return installed === undefined ? [] : [installed];
}
