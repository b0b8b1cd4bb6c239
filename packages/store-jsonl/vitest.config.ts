import { defineConfig } from "vitest/config";
import { shared } from "../../vitest.base.js";

export default defineConfig(shared);
