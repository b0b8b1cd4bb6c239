import { createJiti } from "jiti";
import { runCommand } from "./command.js";

const jiti = createJiti(import.meta.url);

process.exitCode = await runCommand(process.argv.slice(2), {
  cwd: process.cwd(),
  load: (path) => jiti.import(path),
  out: (text) => console.log(text),
  err: (text) => console.error(text),
});
