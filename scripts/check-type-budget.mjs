// Counts the type instantiations of a file with 50 tools on zod schemas, so that `tool()` stays cheap in editors.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMain } from "./lib/report.mjs";
import { capture, tool } from "./lib/run.mjs";
import { root } from "./lib/workspace.mjs";

const TOOLS = 50;
const MAX_INSTANTIATIONS = 60_000;
const workplace = join(root, "integration", ".generated", "type-budget");

function program() {
  const tools = Array.from({ length: TOOLS }, (_, index) => [
    `export const tool${index} = tool({`,
    `  name: "tool_${index}",`,
    `  description: "Does thing ${index}.",`,
    `  input: z.object({ id: z.string(), count: z.number().int().optional(), mode${index}: z.enum(["a", "b"]), tags: z.array(z.string()) }),`,
    `  execute: (input) => ({ id: input.id.toUpperCase(), twice: (input.count ?? 0) * 2, mode: input.mode${index}, tags: input.tags.length }),`,
    "});",
  ]);
  return ['import { tool } from "@tinyagents/core";', 'import { z } from "zod";', ...tools.flat(), ""].join("\n");
}

function write() {
  rmSync(workplace, { recursive: true, force: true });
  mkdirSync(workplace, { recursive: true });
  writeFileSync(join(workplace, "tools.ts"), program());
  const compilerOptions = { customConditions: [] };
  writeFileSync(
    join(workplace, "tsconfig.json"),
    JSON.stringify({ extends: "../../../tsconfig.base.json", compilerOptions, files: ["tools.ts"] }),
  );
}

if (isMain(import.meta)) {
  write();
  const { code, output } = await capture(tool("tsc"), ["-p", workplace, "--extendedDiagnostics"]);
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1] ?? Number.NaN);
  console.log(
    `type budget: ${TOOLS} tools take ${instantiations} type instantiations, at most ${MAX_INSTANTIATIONS} are allowed`,
  );
  if (code !== 0)
    console.error(
      output
        .split("\n")
        .filter((line) => line.includes("error"))
        .slice(0, 10)
        .join("\n"),
    );
  process.exitCode = code === 0 && instantiations <= MAX_INSTANTIATIONS ? 0 : 1;
}
