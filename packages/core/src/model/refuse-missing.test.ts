import { expect, test } from "vitest";
import type { ModelProfile } from "./profile.js";
import { refuseMissing } from "./refuse-missing.js";

const profile: ModelProfile = {
  provider: "acme",
  model: "m1",
  capabilities: { tools: "no", reasoning: "yes" },
  lifecycle: "active",
  source: "cloud",
};
const tools = [{ name: "look", description: "Looks.", inputSchema: {} }];

test("a request that needs what the model lacks is refused with all of it (MDL-06)", () => {
  expect(() => refuseMissing(profile, { messages: [], tools, requires: ["json_mode"] }, ["tools"])).toThrow(
    expect.objectContaining({
      code: "capability_missing",
      details: { model: "acme/m1", capabilities: ["json_mode", "tools"] },
    }),
  );
});

test("a request that needs nothing else goes through", () => {
  expect(() => refuseMissing(profile, { messages: [], requires: ["reasoning"] }, ["image_input"])).not.toThrow();
});
