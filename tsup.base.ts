import type { Options } from "tsup";

/**
 * How every package is built: ESM with source maps, one declaration file per entry, and nothing of others inside. Maps
 * lead to files and lines, and do not hold the sources again: these would be half of what is installed.
 */
export function build(entry: Record<string, string>, options: Options = {}): Options {
  return {
    entry,
    format: "esm",
    target: "es2023",
    platform: "neutral",
    tsconfig: "tsconfig.build.json",
    dts: true,
    sourcemap: true,
    clean: true,
    treeshake: true,
    splitting: true,
    skipNodeModulesBundle: true,
    removeNodeProtocol: false,
    silent: true,
    esbuildOptions(esbuild) {
      esbuild.sourcesContent = false;
    },
    ...options,
  };
}
