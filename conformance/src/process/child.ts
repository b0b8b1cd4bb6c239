import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { createJiti } from "jiti";
import { serve } from "./serve.js";

// The program of a child process whose subject is not bundled. Arguments: the file, and the name of its export.
const [file = "", exportName = "subject"] = process.argv.slice(2);
const loaded = extname(file).endsWith("ts")
  ? await createJiti(import.meta.url).import(file)
  : await import(pathToFileURL(file).href);
serve((loaded as { readonly [name: string]: unknown })[exportName]);
