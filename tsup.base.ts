import type { Options } from "tsup";

/** How every package is built: ESM with source maps, one declaration file per entry, and nothing of others inside. */
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
    ...options,
  };
}
