// Compiles the TypeScript programs of all READMEs and pages against the built packages, and runs those that say so.
//
// ```ts           a complete program: it must compile
// ```ts run       a complete program that needs no key, network or input: it must compile and exit with 0
// ```ts fragment  a piece of code that does not stand alone: it is left alone
//
// The first block of a public package's README is a program of at most 20 lines.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, sep } from "node:path";
import { isMain, report } from "./lib/report.mjs";
import { capture, tool, toolEnv } from "./lib/run.mjs";
import { listFiles, readPackages, root } from "./lib/workspace.mjs";

const MAX_LINES = 20;
const MAX_RUN_MS = 30_000;
const workplace = join(root, "integration", ".generated", "readmes");

/** The TypeScript blocks of a page, in order. `kind` is "", "run" or "fragment"; anything else is a mistake. */
export function readBlocks(markdown) {
  return [...markdown.matchAll(/^```ts(?=\s)[^\S\n]*([^\n]*)\n(.*?)^```$/gms)].map(([, info, code]) => ({
    kind: info.trim(),
    code,
  }));
}

/** What is wrong with a page before anything is compiled. */
export function checkBlocks(blocks, { needsProgram }) {
  const problems = blocks
    .filter(({ kind }) => !["", "run", "fragment"].includes(kind))
    .map(({ kind }) => `a fence says "ts ${kind}"; known are: ts, ts run, ts fragment`);
  if (!needsProgram) return problems;
  const [first] = blocks;
  if (first === undefined) return [...problems, "has no TypeScript program"];
  if (first.kind === "fragment") problems.push("starts with a fragment, not with a program");
  const lines = first.code.trimEnd().split("\n").length;
  if (lines > MAX_LINES) problems.push(`its first program has ${lines} lines; at most ${MAX_LINES} are easy to read`);
  return problems;
}

function readPages() {
  const readmes = readPackages().map((one) => ({ file: join(one.at, "README.md"), needsProgram: one.isPublic }));
  const docs = listFiles(join(root, "docs")).filter((file) => file.endsWith(".md"));
  return [...readmes, ...[join(root, "README.md"), ...docs].map((file) => ({ file, needsProgram: false }))].map(
    (page) => {
      const markdown = existsSync(page.file) ? readFileSync(page.file, "utf8") : "";
      return { ...page, path: relative(root, page.file).split(sep).join("/"), blocks: readBlocks(markdown) };
    },
  );
}

/** Writes each program as a file of its own inside the workspace, where imports resolve as they do for an application. */
function writePrograms(pages) {
  rmSync(workplace, { recursive: true, force: true });
  mkdirSync(workplace, { recursive: true });
  writeFileSync(
    join(workplace, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../tsconfig.base.json",
      compilerOptions: { customConditions: [], types: ["node"], noEmit: false, outDir: "out", rootDir: "." },
      include: ["*.ts"],
    }),
  );
  return pages.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ kind, code }, index) => {
      if (kind === "fragment") return [];
      const name = `${path.replace(/\.md$/, "").replace(/[^\w-]+/g, "_")}-${index + 1}`;
      writeFileSync(join(workplace, `${name}.ts`), `${code}\nexport {};\n`);
      return [{ name, page: path, runs: kind === "run" }];
    }),
  );
}

async function compile() {
  const { code, output } = await capture(tool("tsc"), ["-p", workplace]);
  return code === 0
    ? []
    : output
        .trim()
        .split("\n")
        .map((line) => line.replace(/^integration\/\.generated\/readmes\//, ""));
}

async function runProgram({ name, page }) {
  const cwd = mkdtempSync(join(tmpdir(), "tinyagents-readme-"));
  const { OPENAI_API_KEY: _key, ...env } = toolEnv();
  const { code, output } = await capture(process.execPath, [join(workplace, "out", `${name}.js`)], {
    cwd,
    env,
    timeoutMs: MAX_RUN_MS,
  });
  rmSync(cwd, { recursive: true, force: true });
  return code === 0 ? [] : [`${page}: program ${name} exited with ${code}:\n${output.trim()}`];
}

/** Programs resolve their imports from `integration`, so it has to know every public package. */
function checkIntegration() {
  const packages = readPackages();
  const known = packages.find((one) => one.dir === "integration").manifest.devDependencies;
  return packages
    .filter((one) => one.isPublic && known[one.name] === undefined)
    .map((one) => `integration/package.json: devDependencies lack ${one.name}`);
}

if (isMain(import.meta)) {
  const pages = readPages();
  const problems = [
    ...checkIntegration(),
    ...pages.flatMap((page) => checkBlocks(page.blocks, page).map((problem) => `${page.path}: ${problem}`)),
  ];
  const programs = writePrograms(pages);
  const mistakes = programs.length === 0 ? [] : await compile();
  const running = mistakes.length === 0 ? programs.filter((program) => program.runs) : [];
  for (const program of running) problems.push(...(await runProgram(program)));
  report([...problems, ...mistakes], `README programs: ${programs.length} compiled, ${running.length} run`);
}
