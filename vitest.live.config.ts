import { defineConfig } from "vitest/config";
import { shared } from "./vitest.base.js";

/** Tests that ask a real server: `npm run live`. */
export default defineConfig({
  ...shared,
  test: { ...shared.test, include: ["test/**/*.live.test.ts"], exclude: ["**/node_modules/**"] },
});
