import type { ModelProfile } from "@tinyagents/core";

/** What the model is: rules that run in this process. */
export const mockProfile: ModelProfile = {
  provider: "mock",
  model: "rules-1",
  family: "rules",
  capabilities: {
    tools: "yes",
    parallel_tool_calls: "yes",
    tool_choice_required: "yes",
    tool_choice_named: "yes",
    tool_call_streaming: "yes",
    structured_output: "yes",
    json_mode: "yes",
    streaming: "yes",
    system_messages: "yes",
    reasoning: "no",
    temperature: "no",
    image_input: "no",
    audio_input: "no",
    file_input: "no",
  },
  lifecycle: "active",
  source: "local",
};
