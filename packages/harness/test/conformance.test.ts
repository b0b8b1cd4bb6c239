import { agentStreamConformance } from "@tinyagents/conformance/vitest";
import { createAgent } from "@tinyagents/harness";

// CNF-01
agentStreamConformance({
  name: "an agent of the harness",
  stream: ({ model, tools, input, modes, signal }) =>
    createAgent({ name: "conformance", model, tools }).stream(input, { modes, ...(signal ? { signal } : {}) }),
});
