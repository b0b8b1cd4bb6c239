import { assistantMessage, type JsonObject, type Message, toolMessage, userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { BY_BUDGET, BY_EFFORT, LOOK, own, prepare } from "../test/prepare.js";

function loop(...first: JsonObject[]): readonly Message[] {
  const content = [...first, { type: "tool_call", id: "a", name: "look", args: {} }];
  return [userMessage("Hi"), assistantMessage(content as never), toolMessage({ id: "a", name: "look" }, "done")];
}

describe("thinking", () => {
  it("is asked for by an effort where the model takes that", () => {
    const { body, warnings } = prepare({
      reasoningEffort: "high",
      ...own({
        thinking: { type: "enabled", budget_tokens: 5, display: "summarized" },
        output_config: { effort: "low" },
      }),
    });
    expect(body.thinking).toEqual({ type: "adaptive", display: "summarized" });
    expect(body.output_config).toEqual({ effort: "high" });
    expect(warnings).toEqual([]);
  });

  it("has no minimal effort: low is sent, and a warning says so", () => {
    const { body, warnings } = prepare({ reasoningEffort: "minimal" });
    expect(body.output_config).toEqual({ effort: "low" });
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "reasoningEffort" }]);
  });

  it("is asked for by a number of tokens where the model takes that", () => {
    const budgets = (["minimal", "low", "medium", "high"] as const).map(
      (reasoningEffort) => prepare({ reasoningEffort }, BY_BUDGET).body.thinking,
    );
    expect(budgets).toEqual(
      [1_024, 4_096, 12_288, 32_768].map((budget_tokens) => ({ type: "enabled", budget_tokens })),
    );
    expect(prepare({ reasoningEffort: "low" }, BY_BUDGET).body).not.toHaveProperty("output_config");
    expect(prepare({ reasoningEffort: "low" }, "claude-next", { thinking: "budget" }).body.thinking).toMatchObject({
      type: "enabled",
    });
  });

  it("leaves room for the answer, and is left out where there is none", () => {
    const less = prepare({ reasoningEffort: "high", maxOutputTokens: 8_000 }, BY_BUDGET);
    expect(less.body.thinking).toEqual({ type: "enabled", budget_tokens: 6_976 });
    expect(less.warnings).toMatchObject([{ code: "changed_setting" }]);
    const least = prepare({ reasoningEffort: "high", maxOutputTokens: 2_048 }, BY_BUDGET);
    expect(least.body.thinking).toEqual({ type: "enabled", budget_tokens: 1_024 });
    const none = prepare({ reasoningEffort: "high", maxOutputTokens: 2_047 }, BY_BUDGET);
    expect(none.body).not.toHaveProperty("thinking");
    expect(none.warnings).toMatchObject([{ code: "unsupported_setting", setting: "reasoningEffort" }]);
  });

  it("gives way to a tool that is demanded, and a warning says so", () => {
    for (const model of [BY_EFFORT, BY_BUDGET]) {
      const { body, warnings } = prepare({ tools: [LOOK], toolChoice: "required", reasoningEffort: "high" }, model);
      expect(body.tool_choice).toEqual({ type: "any" });
      expect(body).not.toHaveProperty("thinking");
      expect(warnings).toMatchObject([{ code: "changed_setting", setting: "reasoningEffort" }]);
    }
  });

  it("that the application's own options ask for gives way to it, too", () => {
    const options = own({ thinking: { type: "adaptive" }, tool_choice: { type: "any" } });
    const { body, warnings } = prepare({ tools: [LOOK], ...options });
    expect(body).not.toHaveProperty("thinking");
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "providerOptions" }]);
    expect(prepare({ tools: [LOOK], ...own({ thinking: { type: "adaptive" } }) }).body).toHaveProperty("thinking");
  });

  it("is not begun between calls and results: the server refuses that (PA-08)", () => {
    const { body, warnings } = prepare({ messages: loop(), reasoningEffort: "high" }, BY_BUDGET);
    expect(body).not.toHaveProperty("thinking");
    expect(warnings).toMatchObject([{ code: "changed_setting", setting: "reasoningEffort" }]);
    const thought = { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "s" } } };
    expect(prepare({ messages: loop(thought), reasoningEffort: "high" }, BY_BUDGET).body).toHaveProperty("thinking");
    const goesOn = [...loop(thought), ...loop().slice(1)];
    expect(prepare({ messages: goesOn, reasoningEffort: "high" }, BY_BUDGET).body).toHaveProperty("thinking");
    const asked = [...loop(thought), userMessage("And?"), ...loop().slice(1)];
    expect(prepare({ messages: asked, reasoningEffort: "high" }, BY_BUDGET).body).not.toHaveProperty("thinking");
    const mixed = [...loop(), userMessage("And?"), ...loop(thought).slice(1)];
    expect(prepare({ messages: mixed, reasoningEffort: "high" }, BY_BUDGET).body).not.toHaveProperty("thinking");
    expect(prepare({ messages: loop(), reasoningEffort: "high" }).body).toHaveProperty("thinking");
  });

  it("is not asked of a model that does not think, and a warning says so", () => {
    const profile = { capabilities: { reasoning: "no" } } as const;
    const { body, warnings } = prepare({ reasoningEffort: "high" }, BY_EFFORT, { profile });
    expect(body).not.toHaveProperty("output_config");
    expect(warnings).toMatchObject([{ code: "unsupported_setting", setting: "reasoningEffort" }]);
  });
});
