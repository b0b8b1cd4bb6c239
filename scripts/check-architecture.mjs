// Fails on what the design forbids between and inside packages. Usage: node scripts/check-architecture.mjs
import { existsSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readSource } from "./lib/read-source.mjs";
import { isMain, report } from "./lib/report.mjs";
import { listFiles, readPackages, root } from "./lib/workspace.mjs";

const SCOPE = "@tinyagents/";
const CORE = "@tinyagents/core";
const RUNTIME_FIELDS = ["dependencies", "peerDependencies", "optionalDependencies"];

/** Packages that run wherever web standards do, and the folders inside one that are for Node alone. */
const PORTABLE =
  /^@tinyagents\/(core|harness|graph|registry|persistence|retrieval|testkit|provider-mock|store-memory|middleware-(resilience|context|safety|budget))$/;
const NODE_ONLY_FOLDERS = { "@tinyagents/testkit": ["src/wire/", "src/servers/"] };
const nodeFoldersOf = (one) => NODE_ONLY_FOLDERS[one.name] ?? [];
const NODE_GLOBALS = new Set(["process", "Buffer", "__dirname", "__filename", "require", "global", "setImmediate"]);
const BUILTINS = new Set(builtinModules);

/** A package's dev dependencies must have a lower rank, so that no two packages wait for each other. */
const RANKS = { [CORE]: 0, "@tinyagents/conformance": 1, "@tinyagents/testkit": 2 };
const rankOf = (one) => (one.isPublic ? (RANKS[one.name] ?? 3) : 4);

/** What is wrong, one sentence each. */
export function checkArchitecture(from = root) {
  const packages = readPackages(from);
  return packages.flatMap((one) => {
    const sources = readSources(one);
    return [
      ...checkRuntimeDependencies(one),
      ...checkDevDependencies(one, packages),
      ...sources.flatMap((source) => [
        ...checkImports(one, source, packages),
        ...(isPortable(one, source) ? checkPortability(one, source) : []),
      ]),
      ...checkCycles(one, sources),
    ];
  });
}

function readSources(one) {
  return [...listFiles(join(one.at, "src")), ...listFiles(join(one.at, "test"))]
    .filter((file) => /\.(ts|tsx|mts)$/.test(file))
    .map((file) => {
      const path = relative(one.at, file).split(sep).join("/");
      return { file, path, isTest: path.startsWith("test/") || /\.test\.tsx?$/.test(path), ...readSource(file) };
    });
}

function checkRuntimeDependencies(one) {
  if (!one.isPublic) return [];
  const listed = RUNTIME_FIELDS.flatMap((field) =>
    Object.keys(one.manifest[field] ?? {}).map((name) => ({ field, name })),
  );
  const problems = listed
    .filter(({ name }) => name.startsWith(SCOPE) && name !== CORE)
    .map(({ field, name }) => `${one.name}: ${field} has ${name}; only ${CORE} is allowed`);
  if (one.name === CORE && listed.length > 0) problems.push(`${CORE}: has a runtime dependency, ${listed[0].name}`);
  if (one.name !== CORE && one.manifest.peerDependencies?.[CORE] === undefined)
    problems.push(`${one.name}: ${CORE} is not a peer dependency`);
  return problems;
}

function checkDevDependencies(one, packages) {
  return Object.keys(one.manifest.devDependencies ?? {})
    .map((name) => packages.find((other) => other.name === name))
    .filter((other) => other !== undefined && rankOf(other) >= rankOf(one))
    .map((other) => `${one.name}: dev dependency on ${other.name}, which does not have a lower rank`);
}

function checkImports(one, source, packages) {
  const where = `${one.dir}/${source.path}`;
  return source.imports.flatMap((specifier) => {
    if (specifier.startsWith("."))
      return leavesPackage(one, source, specifier) ? [`${where}: ${specifier} leaves the package`] : [];
    if (specifier.startsWith("#") || isBuiltin(specifier)) return [];
    const name = packageNameOf(specifier);
    const problems = [];
    if (isDeep(specifier, name, packages)) problems.push(`${where}: deep import of ${specifier}`);
    if (one.isPublic && !source.isTest && name !== one.name) {
      if (name.startsWith(SCOPE) && name !== CORE) problems.push(`${where}: imports ${name}; only ${CORE} is allowed`);
      else if (!isDeclared(one, name))
        problems.push(`${where}: imports ${name}, which is not a dependency of ${one.name}`);
    }
    return problems;
  });
}

function leavesPackage(one, source, specifier) {
  return !resolve(dirname(source.file), specifier).startsWith(one.at + sep);
}

function isDeep(specifier, name, packages) {
  const target = packages.find((other) => other.name === name);
  if (target === undefined) return name.startsWith(SCOPE);
  return !Object.hasOwn(target.manifest.exports ?? {}, `.${specifier.slice(name.length)}`);
}

function isDeclared(one, name) {
  return RUNTIME_FIELDS.some((field) => one.manifest[field]?.[name] !== undefined);
}

function isPortable(one, source) {
  const isForNode = nodeFoldersOf(one).some((folder) => source.path.startsWith(folder));
  return PORTABLE.test(one.name) && !source.isTest && !isForNode;
}

function checkPortability(one, source) {
  const where = `${one.dir}/${source.path}`;
  const intoNodeFolder = (specifier) =>
    specifier.startsWith(".") &&
    nodeFoldersOf(one).some((folder) => resolve(dirname(source.file), specifier).startsWith(join(one.at, folder)));
  return [
    ...source.imports.filter(isBuiltin).map((name) => `${where}: portable code imports ${name}`),
    ...source.imports
      .filter(intoNodeFolder)
      .map((name) => `${where}: portable code imports ${name}, which is for Node`),
    ...source.globals.filter((name) => NODE_GLOBALS.has(name)).map((name) => `${where}: portable code uses ${name}`),
  ];
}

function isBuiltin(specifier) {
  return specifier.startsWith("node:") || BUILTINS.has(specifier);
}

function packageNameOf(specifier) {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Files that wait for each other to load. Imports of types alone are gone at run time and do not count. */
function checkCycles(one, sources) {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const done = new Set();
  const problems = [];
  const visit = (file, trail) => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      const names = [...trail.slice(at), file].map((each) => byFile.get(each).path);
      problems.push(`${one.dir}: files import each other: ${names.join(" -> ")}`);
    } else if (!done.has(file)) {
      for (const next of neighbours(byFile.get(file), byFile)) visit(next, [...trail, file]);
      done.add(file);
    }
  };
  for (const file of byFile.keys()) visit(file, []);
  return problems;
}

function neighbours(source, byFile) {
  return source.valueImports
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => resolve(dirname(source.file), specifier))
    .flatMap((path) =>
      [path.replace(/\.(m?)js$/, ".$1ts"), `${path}.ts`, join(path, "index.ts")]
        .filter((each) => byFile.has(each))
        .slice(0, 1),
    );
}

if (isMain(import.meta)) {
  if (!existsSync(join(root, "packages"))) throw new Error(`no packages in ${root}`);
  report(checkArchitecture(), `architecture: ${readPackages().length} packages keep the rules`);
}
