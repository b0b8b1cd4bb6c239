import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.base.js";

// One process for all files: they share one server, which ends with the process.
export default defineConfig({ ...shared, test: { ...shared.test, isolate: false, fileParallelism: false } });
