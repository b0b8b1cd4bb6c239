import { describe, expect, it } from "vitest";
import { type OllamaProfile, profileOf } from "./profile.js";
import { toThink } from "./thinking.js";

function think(effort: "minimal" | "low" | "medium" | "high", known: Partial<OllamaProfile> = {}, model = "qwen3") {
  const { think: value, warning } = toThink(effort, { ...profileOf(model, false), ...known });
  return [value, warning?.code];
}

describe("how hard a model thinks", () => {
  it("is only whether, for most of them, and the response says so", () => {
    expect(think("high")).toEqual([true, "changed_setting"]);
    expect(think("low")).toEqual([true, "changed_setting"]);
    expect(think("minimal")).toEqual([false, "changed_setting"]);
  });

  it("has levels for gpt-oss, which cannot do without", () => {
    expect(think("high", {}, "gpt-oss:20b")).toEqual(["high", undefined]);
    expect(think("medium", {}, "me/gpt-oss")).toEqual(["medium", undefined]);
    expect(think("minimal", {}, "gpt-oss:20b")).toEqual(["low", "changed_setting"]);
    expect(think("low", { family: "gptoss" }, "mine")).toEqual(["low", undefined]);
  });

  it("has the values that the server lists", () => {
    expect(think("high", { thinkValues: [false, "high"] })).toEqual(["high", undefined]);
    expect(think("minimal", { thinkValues: [false, "high"] })).toEqual([false, "changed_setting"]);
    expect(think("low", { thinkValues: ["max"] })).toEqual([undefined, "unsupported_setting"]);
  });

  it("is not sent to a model that does not think, and the response says so", () => {
    const capabilities = { reasoning: "no" } as const;
    expect(think("high", { capabilities })).toEqual([undefined, "unsupported_setting"]);
  });
});
