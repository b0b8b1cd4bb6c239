export { type Agent, createAgent } from "./create-agent.js";
export type {
  AgentOptions,
  ModelSettings,
  OutputOf,
  OutputSchema,
  OutputSpec,
  ResumeOptions,
  ResumeStreamOptions,
  RunOptions,
  StreamOptions,
  SystemPrompt,
  SystemPromptContext,
} from "./options.js";
export { runOf } from "./run/run-error.js";
export type { RunHandle, SubscribeOptions, Subscription } from "./run-handle.js";
export { type AgentStream, readableStream } from "./stream.js";
export type { AgentToolOptions } from "./sub-agent.js";
