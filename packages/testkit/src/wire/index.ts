export { type AnthropicWireServer, anthropicWireServer } from "./anthropic/server.js";
export type {
  ByteSplit,
  WireAnswer,
  WireEntries,
  WireEntry,
  WireEntryBase,
  WireFailure,
  WireReply,
  WireUsage,
} from "./entry.js";
export type { WireFault } from "./fault.js";
export type { OllamaModel, OllamaServerOptions } from "./ollama/models.js";
export { type OllamaWireServer, ollamaWireServer } from "./ollama/server.js";
export { type OpenAIServerOptions, type OpenAIWireServer, openaiWireServer } from "./openai/server.js";
export type { WireEnd, WireRequest, WireViolation } from "./request.js";
export type { WireServer, WireServerOptions } from "./server.js";
