// Sets up what is missing and becomes the demo: same process, so Ctrl-C, exit code and input are the program's own.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib/workspace.mjs";
import { build, install } from "./setup.mjs";

const failed = (await install()) || (await build());
if (failed) process.exit(failed);

const program = join(root, "examples", "dist", "demo.js");
process.argv[1] = program;
await import(pathToFileURL(program).href);
