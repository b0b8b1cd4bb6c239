// Installs and builds what is not up to date. Needs Node and npm, nothing else; asks nothing.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isMain } from "./lib/report.mjs";
import { run, toolEnv, turbo } from "./lib/run.mjs";
import { listFiles, readJson, readPackages, root } from "./lib/workspace.mjs";

const stamps = join(root, "node_modules", ".tinyagents");

/** Installs the locked dependencies, unless the last install saw the same manifests, lock file and Node. */
export async function install() {
  const wanted = installState();
  if (readStamp("install") === wanted) return 0;
  console.log(
    "Installing dependencies, some minutes the first time: SQLite is compiled where no build of it can be had.",
  );
  const once = (...more) => {
    const [command, ...args] = pnpm();
    const options = ["--frozen-lockfile", "--config.confirmModulesPurge=false", "--reporter=append-only", ...more];
    return run(command, [...args, "install", ...options], { env: installEnv() });
  };
  const code = await once();
  if (code === 0) {
    writeStamp("install", wanted);
    return code;
  }
  // Without a stamp: the next call tries the whole again.
  console.error(
    "The dependencies could not be installed as they are. Trying without native parts; SQLite is missing then, and its tests fail.",
  );
  return once("--ignore-scripts");
}

/** Builds everything that the examples need, unless the last build saw the same files. */
export async function build() {
  if (isBuilt()) return 0;
  console.log("Building, some minutes the first time.");
  const code = await turbo(["build"]);
  if (code === 0) markBuilt();
  return code;
}

export function markBuilt() {
  writeStamp("build", buildState());
}

function isBuilt() {
  const outputs = readPackages().filter((one) => one.manifest.scripts?.build !== undefined);
  return outputs.every((one) => existsSync(join(one.at, "dist"))) && readStamp("build") === buildState();
}

/**
 * The pinned pnpm: the installed one where it is that version, else npx fetches it. It is started by its file: an install that
 * has failed may have left it without a link, and npx then looks no further.
 */
function pnpm() {
  const { packageManager } = readJson(join(root, "package.json"));
  const at = join(root, "node_modules", "pnpm");
  const manifest = join(at, "package.json");
  const found = existsSync(manifest) ? `pnpm@${readJson(manifest).version}` : undefined;
  return found === packageManager ? [process.execPath, join(at, "bin", "pnpm.cjs")] : ["npx", "--yes", packageManager];
}

/**
 * Native packages without a prebuilt binary compile against this Node's own headers, so none are downloaded. Newer versions
 * of npm and pnpm are no news here: the version is pinned.
 */
function installEnv() {
  const env = { ...toolEnv(), npm_config_update_notifier: "false" };
  const nodeDir = dirname(dirname(process.execPath));
  const hasHeaders = existsSync(join(nodeDir, "include", "node", "node.h"));
  return hasHeaders ? { ...env, npm_config_nodedir: nodeDir } : env;
}

function installState() {
  const files = [
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "package.json",
    ...readPackages().map((one) => `${one.dir}/package.json`),
  ];
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}`);
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

/** Sizes and times of all sources; turbo compares contents, so a wrong guess here costs a second and no more. */
function buildState() {
  const ofPackages = readPackages().flatMap(({ at }) =>
    ["src", "package.json", "tsconfig.json", "tsconfig.build.json", "tsup.config.ts"].flatMap((name) =>
      listFiles(join(at, name)),
    ),
  );
  const shared = ["tsconfig.base.json", "tsup.base.ts", "pnpm-lock.yaml"].map((name) => join(root, name));
  const hash = createHash("sha256");
  for (const file of [...ofPackages, ...shared]) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${relative(root, file)} ${mtimeMs} ${size}\n`);
  }
  return hash.digest("hex");
}

function readStamp(name) {
  const file = join(stamps, name);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

function writeStamp(name, value) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(join(stamps, name), value);
}

if (isMain(import.meta)) process.exitCode = (await install()) || (await build());
