import { defineConfig } from "vitest/config";
import { shared } from "../vitest.base.js";

/** The proofs that need a browser, which Node and npm do not bring: CI runs them as a stage of its own. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["test/**/*.browser.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
});
