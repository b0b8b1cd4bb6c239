import { defineConfig } from "vitest/config";
import { shared } from "../vitest.base.js";

/** Tests here bundle programs and start processes, which takes its time on a machine that is busy. */
export default defineConfig({ ...shared, test: { ...shared.test, testTimeout: 60_000, hookTimeout: 60_000 } });
