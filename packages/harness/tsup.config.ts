import { defineConfig } from "tsup";
import { build } from "../../tsup.base.js";

export default defineConfig(
  build(
    {
      index: "src/index.ts",
      "schema-validator-ajv": "src/schema-validator-ajv.ts",
      "schema-validator-cfworker": "src/schema-validator-cfworker.ts",
    },
    { external: ["#schema-validator"] },
  ),
);
