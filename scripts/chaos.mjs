// Kills processes of each durable backend while they write, and looks whether anything was lost, repeated or halved.
// Usage: node scripts/chaos.mjs [BACKEND...] [--kills N] [--seed N] [--places N] [--kills-per-place N]
// After a build. Fails on any finding.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasGo } from "./lib/has-go.mjs";
import { isMain } from "./lib/report.mjs";
import { capture } from "./lib/run.mjs";
import { readPackages, root } from "./lib/workspace.mjs";

const CLI = join(root, "conformance", "dist", "cli.js");
const DEFAULTS = { kills: 200, seed: 1, places: 2 };
const FLAGS = [...Object.keys(DEFAULTS), "kills-per-place"];
/**
 * Kills after which a place is given up, where nobody says another number. The server that stands in for MongoDB reads a
 * whole collection for nearly each command, so that what one kill takes grows with those before it on its place.
 */
const KILLS_PER_PLACE = { mongodb: 10 };
/** The longest that one kill may take on a busy machine, ms, and all that is done once. */
const KILL_MS = 6_000;
const ONCE_MS = 10 * 60_000;

/** Subjects with checkpoints in their logs, by the name of their backend: no package of a store knows checkpoints. */
const WITH_CHECKPOINTS = join(root, "integration", "test", "backends", "subjects.ts");

/** The backends whose processes can be killed, by name, with the file of their subject, and which of its exports that is. */
export function chaosBackends(packages = readPackages(), withCheckpoints = readFileSync(WITH_CHECKPOINTS, "utf8")) {
  const exported = [...withCheckpoints.matchAll(/^export const (\w+)/gm)].map(([, name]) => name);
  return packages
    .filter(({ dir }) => dir.startsWith("packages/store-"))
    .map(({ dir, at }) => ({ backend: dir.replace("packages/store-", ""), file: join(at, "test", "subject.ts") }))
    .filter(({ file }) => existsSync(file))
    .map(({ backend, file }) =>
      exported.includes(backend)
        ? { backend, file: WITH_CHECKPOINTS, exportName: backend }
        : { backend, file, exportName: "subject" },
    );
}

/** What the command was asked for. @throws Error that says what it does not know. */
export function readArgs(args, known = chaosBackends()) {
  const numbers = { ...DEFAULTS };
  const wanted = [];
  for (let at = 0; at < args.length; at++) {
    const [arg, name] = [args[at], args[at].replace(/^--/, "")];
    if (name === arg) wanted.push(arg);
    else if (!FLAGS.includes(name)) throw new Error(`unknown argument: ${arg}`);
    else if (/^[1-9]\d{0,8}$/.test(args[++at] ?? "")) numbers[name] = Number(args[at]);
    else throw new Error(`a whole number above 0 is expected after ${arg}`);
  }
  const names = known.map(({ backend }) => backend);
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`unknown backend: ${unknown.join(", ")}; there are: ${names.join(", ")}`);
  return { ...numbers, backends: known.filter(({ backend }) => wanted.length === 0 || wanted.includes(backend)) };
}

/** One line of what came of a backend. */
export function lineOf(backend, { kills, killedOpening, acknowledged, unacknowledged, seed, failure }, seconds) {
  const sums = [
    `${kills} kills, ${killedOpening} of them while opening`,
    `${acknowledged} writes acknowledged`,
    `under way: ${unacknowledged.kept} found done, ${unacknowledged.gone} not`,
    `${seconds.toFixed(1)} s`,
    `seed ${seed}`,
  ].join("; ");
  return failure === undefined ? `ok    ${backend}: ${sums}` : `FAIL  ${backend}: ${sums}\n      ${failure}`;
}

/** Kills processes of one backend. Gives whether all was well. */
async function killAt({ backend, file, exportName }, { backends: _, ...asked }) {
  if (backend === "mongodb" && !process.env.MONGODB_URI && !hasGo()) {
    console.log("not verified: mongodb: MONGODB_URI is not set, and there is no Go to build a server with");
    return true;
  }
  const perPlace = KILLS_PER_PLACE[backend];
  const numbers = { ...(perPlace && { "kills-per-place": perPlace }), ...asked };
  const flags = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const startedAtMs = performance.now();
  const { output } = await capture(process.execPath, [CLI, "chaos", file, "--export", exportName, "--json", ...flags], {
    timeoutMs: numbers.kills * KILL_MS + ONCE_MS,
  });
  const report = reportIn(output);
  if (report === undefined) console.log(`FAIL  ${backend}: it did not come to an end:\n${output.trim()}`);
  else console.log(lineOf(backend, report, (performance.now() - startedAtMs) / 1_000));
  return report?.ok === true;
}

/** The report among what the command printed; nothing when it printed none. */
export function reportIn(output) {
  const start = output.search(/^\{$/m);
  const end = output.lastIndexOf("\n}");
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(output.slice(start, end + 2));
  } catch {
    return undefined;
  }
}

async function main(args) {
  if (!existsSync(CLI)) throw new Error("@tinyagents/conformance is not built: run `pnpm build` first");
  const asked = readArgs(args);
  let isWell = true;
  for (const each of asked.backends) isWell = (await killAt(each, asked)) && isWell;
  return isWell ? 0 : 1;
}

if (isMain(import.meta)) {
  process.exitCode = await main(process.argv.slice(2)).catch((error) => {
    console.error(`chaos: ${error.message}`);
    return 2;
  });
}
