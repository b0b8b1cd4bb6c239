import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const execute = promisify(execFile);
const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
const app = fileURLToPath(new URL("./app.ts", import.meta.url));

/** What the compiler says of the application, with options on top of those that it needs. */
async function compile(...options: readonly string[]): Promise<string> {
  const args = ["--noEmit", "--module", "nodenext", "--target", "es2023", "--lib", "es2023,dom,dom.asynciterable"];
  const found = await execute(process.execPath, [tsc, ...args, "--skipLibCheck", ...options, app]).catch(
    (error: { readonly stdout: string }) => error,
  );
  return found.stdout;
}

it.each([
  ["off", ["--strict", "false"]],
  ["off, and null checks on", ["--strict", "false", "--strictNullChecks", "true"]],
])(
  "inputs and outputs have their exact types with strict mode %s (TY-03)",
  async (_, options) => {
    expect(await compile(...options)).toBe("");
  },
  60_000,
);
