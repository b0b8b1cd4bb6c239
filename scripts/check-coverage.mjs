// Checks docs/coverage.md: which requirement is met, and which test file proves it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMain, report } from "./lib/report.mjs";
import { root } from "./lib/workspace.mjs";

const STATES = /^(done|not yet|partial \(.+\))$/;

/** The rows of the table `| ID | state | test file |`; several files are separated by commas. */
export function readRows(markdown) {
  return markdown
    .split("\n")
    .filter((line) => line.trim().startsWith("|"))
    .map((line) =>
      line
        .trim()
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
    .filter(([id]) => id !== "ID" && !/^:?-+:?$/.test(id))
    .map(([id, state = "", files = ""]) => ({ id, state, files: readFiles(files) }));
}

function readFiles(cell) {
  return cell
    .split(",")
    .map((file) => file.trim().replaceAll("`", ""))
    .filter((file) => file !== "" && file !== "-");
}

/** What is wrong with the table, one sentence each. */
export function checkRows(rows, fileExists) {
  const seen = new Set();
  return rows.flatMap(({ id, state, files }) => {
    const problems = [];
    if (seen.has(id)) problems.push(`${id}: appears twice`);
    seen.add(id);
    if (!STATES.test(state))
      problems.push(`${id}: state "${state}" is none of: done, partial (what is missing), not yet`);
    if (state !== "not yet" && files.length === 0) problems.push(`${id}: ${state}, and no test file proves it`);
    return [...problems, ...files.filter((file) => !fileExists(file)).map((file) => `${id}: ${file} does not exist`)];
  });
}

if (isMain(import.meta)) {
  const rows = readRows(readFileSync(join(root, "docs", "coverage.md"), "utf8"));
  const count = (state) => rows.filter((row) => row.state.startsWith(state)).length;
  report(
    checkRows(rows, (file) => existsSync(join(root, file))),
    `coverage table: ${rows.length} rows, ${count("done")} done, ${count("partial")} partial, ${count("not yet")} not yet`,
  );
}
