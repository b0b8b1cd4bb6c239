import { expect, test } from "vitest";
import { type Content, toolMessage, userMessage } from "../message/build.js";
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

test("media that users show are needed, unless somebody has looked; what tools returned may be said in words (MDL-06)", () => {
  const blind: ModelProfile = { ...profile, capabilities: { image_input: "no" } };
  const image: Content = [{ type: "image", source: { type: "url", url: "https://acme.example/a.png" } }];
  const returned = [toolMessage({ id: "call_1", name: "look" }, image)];
  expect(() => refuseMissing(blind, { messages: [userMessage(image)] })).toThrow(
    expect.objectContaining({
      code: "capability_missing",
      details: { model: "acme/m1", capabilities: ["image_input"] },
    }),
  );
  expect(() => refuseMissing(blind, { messages: returned })).not.toThrow();
  expect(() => refuseMissing(blind, { messages: [userMessage(image)] }, [])).not.toThrow();
});
