import { defineConfig } from "tsup";
import { build } from "../tsup.base.js";

export default defineConfig(
  build(
    { demo: "src/demo.ts", persistence: "src/persistence.ts", weather: "src/weather.ts" },
    { platform: "node", dts: false, tsconfig: "tsconfig.json" },
  ),
);
