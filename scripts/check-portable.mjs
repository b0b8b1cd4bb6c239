// Bundles the built portable packages for a browser, and fails when one of them needs Node.
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { isMain, report } from "./lib/report.mjs";
import { root } from "./lib/workspace.mjs";

const ENTRIES = [
  ["@tinyagents/core"],
  ["@tinyagents/core", "@tinyagents/harness"],
  ["@tinyagents/core", "@tinyagents/persistence", "@tinyagents/store-memory"],
  ["@tinyagents/core", "@tinyagents/harness", "@tinyagents/provider-mock", "@tinyagents/testkit"],
];
const PLATFORMS = { browser: ["browser"], worker: ["workerd", "worker", "browser"] };

/** Packages that create code at run time, which workers and strict pages forbid. */
const FORBIDDEN = /node_modules\/(ajv|ajv-formats)\//;

/** One bundle: everything that the packages export, for one platform. Its size is in bytes, minified. */
export async function bundle(packages, conditions) {
  const contents = packages.map((name, index) => `export * as package${index} from "${name}";`).join("\n");
  const builtins = [];
  const result = await build({
    stdin: { contents, resolveDir: join(root, "integration"), sourcefile: "entry.js" },
    bundle: true,
    format: "esm",
    platform: "browser",
    conditions,
    minify: true,
    write: false,
    metafile: true,
    logLevel: "silent",
    plugins: [noteBuiltins(builtins)],
  });
  const forbidden = Object.keys(result.metafile.inputs).filter((file) => FORBIDDEN.test(file));
  return {
    bytes: result.outputFiles[0].contents.length,
    problems: [...builtins, ...forbidden.slice(0, 1).map((file) => `contains ${file}`)],
  };
}

/** Notes each import of a Node module instead of failing at the first. */
function noteBuiltins(found) {
  const names = builtinModules.filter((name) => !name.startsWith("_")).join("|");
  return {
    name: "note-builtins",
    setup(context) {
      context.onResolve({ filter: new RegExp(`^(node:.*|${names})$`) }, ({ path, importer }) => {
        found.push(`${importer} imports ${path}`);
        return { path, external: true };
      });
    },
  };
}

if (isMain(import.meta)) {
  const problems = [];
  for (const packages of ENTRIES) {
    for (const [platform, conditions] of Object.entries(PLATFORMS)) {
      const label = `${packages.map((name) => name.replace("@tinyagents/", "")).join(" + ")} for a ${platform}`;
      try {
        const result = await bundle(packages, conditions);
        console.log(`${label}: ${(result.bytes / 1_024).toFixed(1)} KB`);
        problems.push(...result.problems.map((problem) => `${label}: ${problem}`));
      } catch (error) {
        problems.push(`${label}: ${error.message}`);
      }
    }
  }
  report(problems, "portable: no package needs Node");
}
