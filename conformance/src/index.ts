// Checks of any kind.

// Streams of agents.
export { agentStreamChecks, checkAgentStream } from "./agent-stream/checks.js";
export {
  type AgentStreamSetting,
  type AgentStreamSubject,
  type AgentStreamUnderTest,
  agentStreamUnderTest,
} from "./agent-stream/subject.js";
export { assert, assertEqual, assertFails, assertIncludes, CheckFailure } from "./assert.js";
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
export { type RunOptions, runCheck, runChecks } from "./run-checks.js";
