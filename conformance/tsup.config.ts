import { defineConfig } from "tsup";
import { build } from "../tsup.base.js";

export default defineConfig(
  build(
    {
      index: "src/index.ts",
      vitest: "src/vitest.ts",
      cli: "src/cli.ts",
      child: "src/process/child.ts",
      serve: "src/process/serve.ts",
    },
    { platform: "node" },
  ),
);
