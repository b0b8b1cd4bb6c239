import { readFile } from "node:fs/promises";
import { createRequire, isBuiltin } from "node:module";
import { extname, sep } from "node:path";
import { pathToFileURL } from "node:url";

/** As much of esbuild as is used here: it is no dependency of ours, and only used where it is installed. */
interface Esbuild {
  build(options: object): Promise<unknown>;
}

interface PluginBuild {
  onResolve(
    options: { readonly filter: RegExp },
    resolve: (args: ImportArgs) => Promise<ResolvedImport | undefined>,
  ): void;
  onLoad(options: { readonly filter: RegExp }, load: (args: { readonly path: string }) => Promise<object>): void;
  resolve(path: string, options: object): Promise<ResolvedImport & { readonly errors: readonly unknown[] }>;
}

interface ImportArgs {
  readonly path: string;
  readonly resolveDir: string;
  readonly kind: string;
  readonly pluginData?: unknown;
}

interface ResolvedImport {
  readonly path: string;
  readonly external?: boolean;
}

/** esbuild as the file that is to be bundled finds it; nothing where it is not installed. */
export function findEsbuild(file: string): Esbuild | undefined {
  try {
    return createRequire(file)("esbuild") as Esbuild;
  } catch {
    return undefined;
  }
}

/** Makes one file of a program and of what it imports that is not installed, so that it starts fast. */
export async function bundle(
  esbuild: Esbuild,
  { contents, resolveDir, outfile, conditions }: BundleOptions,
): Promise<void> {
  await esbuild.build({
    stdin: { contents, resolveDir, loader: "js" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions,
    define: { "import.meta.url": OWN_ADDRESS },
    plugins: [{ name: "installed-packages-stay-where-they-are", setup: leaveInstalled }],
    logLevel: "silent",
  });
}

export interface BundleOptions {
  readonly contents: string;
  readonly resolveDir: string;
  readonly outfile: string;
  readonly conditions: readonly string[];
}

const BARE = /^[^./]/;
/** What stands in a file for `import.meta.url`: its own address, and not that of the bundle. */
const OWN_ADDRESS = "tinyagentsOwnAddress";
const SOURCE = /\.[cm]?[jt]s$/;

/** Installed packages are imported by their address, native ones too; files keep theirs in `import.meta.url`. */
function leaveInstalled(build: PluginBuild): void {
  build.onResolve({ filter: BARE }, async ({ path, resolveDir, kind, pluginData }) => {
    if (pluginData === leaveInstalled || isBuiltin(path) || path.startsWith("file:")) return undefined;
    const found = await build.resolve(path, { resolveDir, kind, pluginData: leaveInstalled });
    if (found.errors.length > 0 || !found.path.includes(`${sep}node_modules${sep}`)) return undefined;
    return { path: pathToFileURL(found.path).href, external: true };
  });
  build.onLoad({ filter: SOURCE }, async ({ path }) => {
    const text = await readFile(path, "utf8");
    const address = `const ${OWN_ADDRESS} = ${JSON.stringify(pathToFileURL(path).href)};`;
    return {
      // On the first line, so that the lines stay where they are. The bundler tells the constants of several files apart.
      contents: text.includes("import.meta.url") ? `${address} ${text}` : text,
      loader: extname(path).endsWith("ts") ? "ts" : "js",
    };
  });
}
