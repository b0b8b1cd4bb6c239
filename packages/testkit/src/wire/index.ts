export type { ByteSplit, WireAnswer, WireEntry, WireEntryBase, WireFailure, WireReply, WireUsage } from "./entry.js";
export type { WireFault } from "./fault.js";
export type { WireEnd, WireRequest, WireViolation } from "./request.js";
export { type OpenAIWireServer, openaiWireServer, type WireServerOptions } from "./server.js";
