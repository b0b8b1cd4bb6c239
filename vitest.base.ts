import { defaultServerConditions } from "vite";
import type { ViteUserConfig } from "vitest/config";

/** What the tests of every package share: our packages are read from their source, so no build comes first. */
export const shared = {
  resolve: { conditions: ["@tinyagents/source", ...defaultServerConditions] },
  ssr: { resolve: { conditions: ["@tinyagents/source", ...defaultServerConditions] } },
  test: {
    include: ["{src,test}/**/*.test.ts"],
    exclude: ["**/*.live.test.ts", "**/node_modules/**", "**/dist/**"],
    passWithNoTests: false,
    // Long enough for property tests on a busy machine: what hangs is found all the same.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    typecheck: { enabled: false },
  },
} satisfies ViteUserConfig;
