export { type ArtifactIndexOptions, artifactIndex } from "./artifacts/artifact-index.js";
export { type CheckpointStoreOptions, checkpointStore } from "./checkpoints/checkpoint-store.js";
export { encryptedLog } from "./encryption/encrypted-log.js";
export {
  type EncryptedStore,
  type EncryptedStoreOptions,
  encryptedStore,
  type ReencryptOptions,
  type ReencryptResult,
} from "./encryption/encrypted-store.js";
export type { EncryptionKeys } from "./encryption/key-ring.js";
export {
  type CallRecords,
  callRecords,
  type ModelCallRecord,
  type ModelCallSpent,
  type OutputRecord,
  type ToolCallRecord,
} from "./journal/call-records.js";
export { currentEntries } from "./journal/current-entries.js";
export { type EventJournalOptions, eventJournal } from "./journal/event-journal.js";
export { journaledRecorder } from "./journal/journaled-recorder.js";
export type { JournalTrouble } from "./journal/run-queue.js";
export { keepLastTurns } from "./memory/keep-last-turns.js";
export { type KeepSummaryOptions, keepSummary } from "./memory/keep-summary.js";
export type { MemoryPolicy, MemoryPolicyContext } from "./memory/policy.js";
export { type ShortTermMemoryOptions, shortTermMemory } from "./memory/short-term-memory.js";
export { type ResponseCacheOptions, responseCache } from "./response-cache.js";
export { type RunRecorderOptions, runRecorder } from "./run-recorder.js";
export { foldRunStatus } from "./status/fold.js";
export { recordedStatus } from "./status/recorded-status.js";
export { type RunStatusSink, type RunStatusSinkOptions, runStatusSink } from "./status/sink.js";
export { type RunStatusStoreOptions, runStatusStore } from "./status/store.js";
export { type TaskStoreOptions, taskStore } from "./tasks/store.js";
export { type TenantBackend, tenantBackend } from "./tenant/tenant-backend.js";
export { tenantLog } from "./tenant/tenant-log.js";
export { type TenantOptions, tenantStore } from "./tenant/tenant-store.js";
