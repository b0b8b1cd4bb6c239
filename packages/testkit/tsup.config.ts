import { defineConfig } from "tsup";
import { build } from "../../tsup.base.js";

export default defineConfig(
  build(
    {
      index: "src/index.ts",
      "wire/index": "src/wire/index.ts",
      "servers/index": "src/servers/index.ts",
    },
    { platform: "node" },
  ),
);
