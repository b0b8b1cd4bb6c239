import { defineConfig } from "vitest/config";
import { shared } from "../vitest.base.js";

export default defineConfig({
  ...shared,
  test: { ...shared.test, globalSetup: "test/bundle.ts", testTimeout: 30_000 },
});
