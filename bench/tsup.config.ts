import { defineConfig } from "tsup";
import { build } from "../tsup.base.js";

export default defineConfig(
  build(
    {
      main: "src/main.ts",
      adapters: "src/adapters.ts",
      stores: "src/store-sqlite.ts",
      "store-jsonl": "src/store-jsonl.ts",
      checkpoints: "src/checkpoints.ts",
    },
    { platform: "node", dts: false, tsconfig: "tsconfig.json" },
  ),
);
