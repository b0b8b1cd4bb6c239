import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { byHand } from "./by-hand.js";
import { median } from "./measure.js";
import { tinyagents } from "./tinyagents.js";
import { FULL, workloads } from "./workloads.js";
import type { Contestant } from "./world.js";

const contestants: readonly Contestant[] = [byHand, tinyagents];
const HERE = fileURLToPath(import.meta.url);
/** Rounds, each in processes of their own and in another order, so that no contestant has the quiet moment. */
const ROUNDS = 3;
/** A young generation that no measured round fills: allocation is then what the heap grew by. */
const NODE_ARGS = ["--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512"];

/** What a child prints: one figure. */
async function child(workload: string, contestant: string): Promise<void> {
  const what = workloads.find(({ name }) => name === workload);
  const who = contestants.find(({ name }) => name === contestant);
  if (what === undefined || who === undefined) throw new Error(`no workload "${workload}" for "${contestant}"`);
  process.stdout.write(String(await what.measure(who, FULL)));
}

function measureInChild(workload: string, contestant: string): number {
  const allocation = workload.startsWith("allocation");
  const args = [...(allocation ? NODE_ARGS : []), HERE, "--child", workload, contestant];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${contestant}, ${workload}: ${stderr}`);
  return Number(stdout);
}

/** What importing a package adds to starting Node, ms on the wall: the median of nine starts against nine bare ones. */
function importTime(): number {
  const start = (code: string): number => {
    const before = performance.now();
    spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
    });
    return performance.now() - before;
  };
  const times = (code: string): number => median(Array.from({ length: 9 }, () => start(code)));
  return times("await import('@tinyagents/harness')") - times("0");
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function main(): void {
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown"}. Medians of ${ROUNDS} rounds.\n\n`,
  );
  process.stdout.write(
    "| work | unit | by hand | tinyagents | ratio | target |\n| --- | --- | ---: | ---: | ---: | --- |\n",
  );
  for (const { name, unit, target, absolute } of workloads) {
    const figures = new Map<string, number[]>(contestants.map((who) => [who.name, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const who of round % 2 === 0 ? contestants : contestants.toReversed()) {
        figures.get(who.name)?.push(measureInChild(name, who.name));
      }
    }
    const hand = median(figures.get(byHand.name) ?? []);
    const ours = median(figures.get(tinyagents.name) ?? []);
    const wanted = target === undefined ? "" : absolute ? `at most ${target} ${unit}` : `at most x${target}`;
    process.stdout.write(
      `| ${name} | ${unit} | ${figure(hand)} | ${figure(ours)} | x${(ours / hand).toFixed(2)} | ${wanted} |\n`,
    );
  }
  process.stdout.write(`| import of core and harness | ms added | 0 | ${figure(importTime())} | | at most 20 ms |\n`);
}

const [flag, workload = "", contestant = ""] = process.argv.slice(2);
if (flag === "--child") await child(workload, contestant);
else main();
