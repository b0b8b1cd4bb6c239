// Checks of any kind.

// Streams of agents.
export { agentStreamChecks, checkAgentStream } from "./agent-stream/checks.js";
export {
  type AgentStreamSetting,
  type AgentStreamSubject,
  type AgentStreamUnderTest,
  agentStreamUnderTest,
} from "./agent-stream/subject.js";
// Logs.
export { appendStoreChecks } from "./append-store/checks.js";
export { checkAppendStore } from "./append-store/run.js";
export {
  type AppendStoreSubject,
  type AppendStoreUnderTest,
  appendStoreUnderTest,
  type LogNeed,
  type LogSituation,
  type OpenLog,
} from "./append-store/subject.js";
export { assert, assertEqual, assertFails, assertIncludes, CheckFailure } from "./assert.js";
// Blobs.
export { blobStoreChecks, checkBlobStore } from "./blob-store/checks.js";
export {
  type BlobNeed,
  type BlobSituation,
  type BlobStoreSubject,
  type BlobStoreUnderTest,
  blobStoreUnderTest,
  type OpenBlobs,
} from "./blob-store/subject.js";
// Killed processes.
export type { OpenBackend } from "./chaos/chaos-place.js";
export {
  type ChaosOptions,
  type ChaosReport,
  type ChaosSubject,
  runChaos,
} from "./chaos/run-chaos.js";
// Models.
export { chatModelChecks } from "./chat-model/checks.js";
export { type ForeignHistory, foreignHistories } from "./chat-model/histories.js";
export { meeting } from "./chat-model/meeting.js";
export { checkChatModel } from "./chat-model/run.js";
export {
  type Scenario,
  type ScenarioAnswer,
  type ScenarioFailure,
  type ScenarioManner,
  type ScenarioName,
  type ScenarioToolCall,
  type ScenarioUsage,
  scenarioMetadata,
  scenarios,
} from "./chat-model/scenarios.js";
export {
  type ChatModelSubject,
  type ModelNeed,
  type ModelSetting,
  type ModelUnderTest,
  modelUnderTest,
  type RecordedRequest,
  type Situation,
  secretKey,
  type Wire,
  type WireServer,
} from "./chat-model/subject.js";
export type { Check, CheckResult, Claims, NeedOf, Report } from "./check.js";
// Checkpoints.
export { checkCheckpointStore, checkpointStoreChecks } from "./checkpoint-store/checks.js";
export {
  type CheckpointNeed,
  type CheckpointSituation,
  type CheckpointStoreSubject,
  type CheckpointStoreUnderTest,
  checkpointStoreUnderTest,
  type OpenCheckpoints,
} from "./checkpoint-store/subject.js";
// Embeddings.
export { checkEmbeddingModel, embeddingModelChecks } from "./embedding-model/checks.js";
export {
  type EmbeddingScenario,
  type EmbeddingScenarioName,
  embeddingScenarios,
  scenarioDimensions,
  scenarioVector,
  scenarioVectors,
} from "./embedding-model/scenarios.js";
export {
  type EmbeddingModelSubject,
  type EmbeddingModelUnderTest,
  type EmbeddingNeed,
  type EmbeddingSetting,
  type EmbeddingSituation,
  embeddingModelUnderTest,
} from "./embedding-model/subject.js";
export { formatReport } from "./format-report.js";
// Other processes.
export type { OtherProcess } from "./process/other-process.js";
export type { OpenedElsewhere, SubjectModule } from "./process/subject-module.js";
export { type RunOptions, runCheck, runChecks } from "./run-checks.js";
// Stores.
export { storeChecks } from "./store/checks.js";
export type { Opened, Place, WriteFailures } from "./store/place.js";
export type { PlaceNeed, PlaceSubject, PlaceUnderTest } from "./store/place-subject.js";
export { checkStore } from "./store/run.js";
export {
  type OpenStore,
  type StoreNeed,
  type StoreSituation,
  type StoreSubject,
  type StoreUnderTest,
  storeUnderTest,
} from "./store/subject.js";
export { type TemporaryFolder, temporaryFolder } from "./store/temporary-folder.js";
// Tasks.
export { checkTaskStore, taskStoreChecks } from "./task-store/checks.js";
export {
  type OpenTasks,
  type TaskNeed,
  type TaskSituation,
  type TaskStoreSubject,
  type TaskStoreUnderTest,
  taskStoreUnderTest,
} from "./task-store/subject.js";
