// Agents.
export {
  type Answers,
  type ApprovalAnswer,
  type ApprovalPolicy,
  type ApprovalRequest,
  type Approver,
  askWhenResumed,
  type InterruptRequest,
  needsApproval,
  type PauseRequest,
  readApprovalAnswer,
} from "./agent/approval.js";
export { checkRunPolicy } from "./agent/check-run-policy.js";
export type { RunConfig } from "./agent/config.js";
export type { RunContext, RunSurroundings, StepContext } from "./agent/context.js";
export { type Control, strongerControl } from "./agent/control.js";
export { type Limits, limitError, narrowLimits, type ResolvedLimits, resolveLimits } from "./agent/limits.js";
export type { AgentMachine, StartOptions } from "./agent/machine.js";
export { narrowPolicy } from "./agent/narrow-policy.js";
export { lastAnswer, outcomeOf } from "./agent/outcome.js";
export { readStateFields } from "./agent/read-state/fields.js";
export { checkAgentState, readAgentState } from "./agent/read-state/read-state.js";
export type {
  ClaimOptions,
  LeasingRecorder,
  RecordedRun,
  RecordOptions,
  RunLease,
  RunRecorder,
} from "./agent/recorder.js";
export type { AgentRun, RunStatus } from "./agent/run.js";
export {
  type InvalidArgumentsPolicy,
  type NoProgressPolicy,
  noProgressThresholds,
  type RunPolicy,
  type UnknownToolPolicy,
} from "./agent/run-policy.js";
export {
  type AgentState,
  type BatchCall,
  type BatchTrace,
  type Counters,
  type HistoryEdit,
  isEnd,
  type LastResponse,
  type OutputState,
  type Phase,
  type RunStop,
  type ToolBatch,
} from "./agent/state.js";
export type {
  AgentStreamItem,
  CostItem,
  EventItem,
  FinalItem,
  MessageItem,
  StreamMode,
  ToolItem,
  UpdateItem,
  UsageItem,
} from "./agent/stream-item.js";
// The ground: time and errors.
export { boundedText, firstCharacters } from "./bounded-text.js";
export { type Clock, type ManualClock, manualClock, systemClock, type TimerOptions } from "./clock.js";
export {
  type AnyTinyAgentsError,
  type ArgumentIssue,
  type ErrorCode,
  type ErrorDetails,
  type ErrorRecord,
  errorFromRecord,
  isTinyAgentsError,
  type LimitName,
  messageOf,
  type ProviderFailure,
  readThrown,
  retryableByDefault,
  type ThrownFacts,
  type TimeoutScope,
  TinyAgentsError,
  type TinyAgentsErrorOptions,
} from "./errors.js";
// Events.
export type {
  CompactOptions,
  EventJournal,
  EventPlace,
  JournalEntry,
  JournaledEvent,
  JournaledRunsQuery,
  JournalFilter,
  JournalFollowQuery,
  JournalGap,
  JournalPage,
  JournalQuery,
  WithheldEvent,
} from "./event/journal.js";
export {
  callbackSink,
  type EventSink,
  fanOut,
  filteredSink,
  redactEvent,
  redactingSink,
  type SinkOptions,
  withoutPayload,
} from "./event/sink.js";
export type { AgentEvent, EventData, EventEnvelope, EventType } from "./event/types.js";
export { checkOptions, type FieldCheck, type FieldRule, type FieldRules, optionRules } from "./field-rules.js";
// The ground: JSON and ids.
export {
  checkJson,
  corruptData,
  type ParseLimits,
  parseJson,
  readArray,
  readNumber,
  readObject,
  readString,
  readVersion,
} from "./guarded-read.js";
export { type IdSource, type RandomSource, randomIds, sequentialIds, systemRandom } from "./ids.js";
export {
  canonicalJson,
  fingerprint,
  hashNumber,
  hashText,
  isJsonObject,
  type JsonObject,
  type JsonPrimitive,
  type JsonValue,
} from "./json.js";
// Messages.
export type {
  AudioBlock,
  Block,
  CitationBlock,
  FileBlock,
  ImageBlock,
  InvalidArguments,
  JsonBlock,
  MediaSource,
  ProviderBlock,
  ProviderMetadata,
  ReasoningBlock,
  RefusalBlock,
  TextBlock,
  ToolCallBlock,
  ToolResultBlock,
} from "./message/block.js";
export {
  type AgentInput,
  assistantMessage,
  blocks,
  type ChatMessage,
  type Content,
  refusal,
  systemMessage,
  text,
  toMessages,
  toolCalls,
  toolMessage,
  toolText,
  toolValue,
  upgradeMessage,
  userMessage,
} from "./message/build.js";
export { checkHistory, type HistoryProblem, type RepairedHistory, repairHistory } from "./message/check-history.js";
export type {
  ArtifactReference,
  AssistantMessage,
  Message,
  SystemMessage,
  ToolMessage,
  ToolStatus,
  UserMessage,
} from "./message/message.js";
export { openCalls } from "./message/open-calls.js";
export { isMedia, type MediaBlock, mediaNote, plainText } from "./message/plain-text.js";
export { readBlocks, readMessages, readToolMessage } from "./message/read-message.js";
// Middleware.
export type { ControlBy, Hooked, HookScope } from "./middleware/chain.js";
export { type ComposedMiddleware, compose } from "./middleware/compose.js";
export type {
  HookName,
  HookResult,
  HookReturn,
  Middleware,
  MiddlewareContext,
  ModelHandler,
  ToolHandler,
  ToolInvocation,
  ToolValidation,
} from "./middleware/middleware.js";
// Models.
export { addCost, type Spent, type SpentSoFar, splitCost } from "./model/add-cost.js";
export {
  batchedEmbeddings,
  type EmbedBatch,
  type EmbeddedBatch,
  type EmbeddingPurpose,
} from "./model/batched-embeddings.js";
export { cachedEmbeddings, type EmbeddingCacheOptions } from "./model/cached-embeddings.js";
export { type ChatModel, isModel, type ModelCallContext, type NamedModel, resolvedModel } from "./model/chat-model.js";
export { checkedStream, corruptStream, streamFault } from "./model/checked-stream.js";
export { chooseModel, type ModelChoice, type ModelSources, type SkippedModel } from "./model/choose-model.js";
export { collect, type ModelResponse, ResponseCollector } from "./model/collect.js";
export {
  addMoney,
  type CallCost,
  type CostTotals,
  callCost,
  costByPrices,
  costOf,
  type ModelPrice,
  type Money,
  type PriceSource,
} from "./model/cost.js";
export { cutShortError } from "./model/cut-short.js";
export type { FinishDelta, FinishReason, ModelDelta, ModelWarning } from "./model/delta.js";
export {
  type DocumentEmbeddings,
  type EmbeddingModel,
  type EmbeddingOptions,
  type EmbeddingProfile,
  type EmbeddingRecord,
  type QueryEmbedding,
  readVectors,
  type Vector,
} from "./model/embedding-model.js";
export { passwordsIn, readBaseUrl, secretsOf } from "./model/endpoint.js";
export {
  approximateTokens,
  type ContextEstimate,
  contextOf,
  estimateContext,
  estimateTokens,
  type TokenCounter,
} from "./model/estimate.js";
export { codeOfStatus, isPassingFileError, type StatusCode, systemCodeOf } from "./model/failure-code.js";
export {
  canTake,
  type Fallback,
  type FallbackPolicy,
  fallbackModel,
  fallbackStream,
  mayFallBack,
} from "./model/fallback.js";
export { toolCallBlock } from "./model/growing-block.js";
export { keptHeaders, withKeptHeaders } from "./model/kept-headers.js";
export { pricedEmbeddings } from "./model/priced-embeddings.js";
export {
  CAPABILITIES,
  type Capability,
  type FailedModel,
  lackingCapabilities,
  lackingMedia,
  type ModelProfile,
  type ModelRung,
  type ResolvedModel,
  type Support,
  support,
} from "./model/profile.js";
export { type PayloadWatcher, type RawPayload, tellPayload, withPayloads } from "./model/raw-payload.js";
export { readModelResponse } from "./model/read-response.js";
export { capabilityMissing, refuseMissing } from "./model/refuse-missing.js";
export {
  type ModelRegistry,
  type ModelRegistryOptions,
  modelRegistry,
  type RegisteredModel,
} from "./model/registry.js";
export type { ModelRequest, ModelSelection, ResponseFormat, ToolChoice, ToolDeclaration } from "./model/request.js";
export {
  backoff,
  decideRetry,
  type RetryContext,
  type RetryDecision,
  type RetryPolicy,
  retryCall,
  retryStream,
} from "./model/retry.js";
export { retryAfterMs, waitUntilMs } from "./model/retry-hint.js";
export type { ModelTiming } from "./model/timing.js";
export {
  addModelCall,
  addTotals,
  addUsage,
  emptyUsage,
  type ModelUsage,
  type Usage,
  type UsageTotals,
  usageAccuracy,
} from "./model/usage.js";
export { oncePer } from "./once-per.js";
// For those who write providers.
export {
  type CallFailed,
  type ProviderModelOptions,
  type ProviderQuestion,
  providerAnswer,
  providerModel,
} from "./provider/call.js";
export {
  type FailedCall,
  malformedAnswer,
  type ProviderCode,
  providerError,
  type ToldFailure,
  transportError,
} from "./provider/failure.js";
export { jsonLines } from "./provider/json-lines.js";
export { notSent, ownOptions, refuseEmpty } from "./provider/request.js";
export { mayKeep, UnknownFields, unknownFields } from "./provider/unknown-fields.js";
export { refuseWebPage } from "./provider/web-page.js";
export { argsText, countOf, objectsOf, reportedUsage, textOf } from "./provider/wire-value.js";
// The ground: secrets and signals.
export { REDACTED, redactJson, redactText } from "./redact.js";
export { redactError } from "./redact-error.js";
export { saidFields } from "./said-fields.js";
export { abortError, type LinkedSignal, linkedSignal, onAbort, throwIfAborted } from "./signal.js";
// Stores.
export type { AppendOptions, AppendStore, LogRecord, ReadRange, StreamRange } from "./store/append-store.js";
export {
  type ArtifactFacts,
  type ArtifactRecord,
  artifactAttributes,
  artifactFacts,
} from "./store/artifact/artifact.js";
export type { ArtifactIndex, ArtifactQuery, NewArtifact, SweptArtifacts } from "./store/artifact/index-store.js";
export { readArtifact } from "./store/artifact/read.js";
export type { StorageBackend } from "./store/backend.js";
export {
  type BlobRange,
  type BlobSource,
  type BlobStore,
  type CheckedBlobRange,
  readBlobRange,
  type StoredBlob,
} from "./store/blob-store.js";
export type { StoreCallOptions } from "./store/call-options.js";
export type { LogCapabilities, StoreCapabilities } from "./store/capabilities.js";
export type {
  CheckpointChain,
  CheckpointMeta,
  CheckpointQuery,
  CheckpointRow,
  CheckpointStore,
  CheckpointTerms,
  CheckpointThread,
  TaskWrites,
} from "./store/checkpoint-store.js";
export { type FollowedLog, type FollowOptions, follow } from "./store/follow.js";
// For those who write stores: what every backend checks, copies and says.
export { type StoreGate, type StoreGateOptions, storeGate } from "./store/gate.js";
export {
  compareKeyPrefix,
  compareStoreKeys,
  readKeyPrefix,
  readStoreKey,
  recordName,
  storeKeyText,
} from "./store/key.js";
export { storeKeyBytes, storeKeyFromBytes, storeKeyRangeEnd } from "./store/key-bytes.js";
export {
  type CheckedDelete,
  type CheckedListQuery,
  type CheckedPut,
  type CheckedWrite,
  cursorAfter,
  readBatch,
  readDelete,
  readListQuery,
  readPut,
} from "./store/keyed-arguments.js";
export {
  type CheckedAppend,
  type CheckedReadRange,
  type CheckedStreamsQuery,
  checkRepeatedAppend,
  otherValuesUnderKey,
  readAppend,
  readIdempotencyKey,
  readReadRange,
  readStreamName,
  readStreamsQuery,
  readTruncate,
} from "./store/log-arguments.js";
export type { SaveOptions, ShortTermMemory, ThreadSaver, ThreadState } from "./store/memory.js";
export { readThreadState } from "./store/memory-read.js";
export {
  type KeyRedaction,
  observeStores,
  type StoreAccess,
  type StoreEvent,
  type StoreEventData,
} from "./store/observed.js";
export { checkFields, readOrder, readWholeNumber } from "./store/read-fields.js";
export { invalidArgument, storeFailure, writeConflict } from "./store/refuse.js";
export { type StoreRegistry, type StoreRegistryOptions, storeRegistry } from "./store/registry.js";
export { type CacheOptions, type ResponseCache, responseCacheKey } from "./store/response-cache.js";
export { readRunStatus } from "./store/run-status/read.js";
export {
  type ActiveCall,
  hasEnded,
  RUN_STATES,
  type RunCounters,
  type RunQuestion,
  type RunResumption,
  type RunState,
  type RunStatusRecord,
} from "./store/run-status/run-status.js";
export type { RunAdmission, RunStatusQuery, RunStatusStore, StoredRunStatus } from "./store/run-status/store.js";
export type {
  DeleteOptions,
  ListQuery,
  Page,
  PutOptions,
  Store,
  StoreAttributes,
  StoreKey,
  StoreOperation,
  StoreRecord,
  StoreValue,
  StoreVersion,
} from "./store/store.js";
export { copyStoredJson } from "./store/stored-json.js";
export { copyAttributes, copyStoreValue, matchesAttributes } from "./store/stored-value.js";
export { TASK_TRANSITIONS, type TaskAction } from "./store/task/action.js";
export { applyTaskAction } from "./store/task/apply.js";
export { type ClaimNextOptions, claimNextTask } from "./store/task/claim-next.js";
export { readTask, readTaskAction } from "./store/task/read.js";
export type { PruneTasks, TaskQuery, TaskStore } from "./store/task/store.js";
export {
  TASK_STATES,
  type TaskLease,
  type TaskMessage,
  type TaskRecord,
  type TaskSpec,
  type TaskState,
  type TaskTransition,
  taskHasEnded,
} from "./store/task/task.js";
export { isThenable } from "./thenable.js";
// Tools.
export type { TextToolFormat, ToolFormat, ToolFormatOption } from "./tool/format.js";
export {
  type ContentOutcome,
  content,
  type InterruptOutcome,
  interrupt,
  isToolOutcome,
  type StopOutcome,
  stop,
  type ToolOutcome,
} from "./tool/outcome.js";
export {
  checkPolicy,
  isClassified,
  isConcurrencySafe,
  isIdempotent,
  type ToolEffect,
  type ToolPolicy,
} from "./tool/policy.js";
export type { ToolRuntime } from "./tool/runtime.js";
export {
  type Checked,
  checkStandard,
  isStandardSchema,
  type JsonSchema,
  type SchemaInput,
  type SchemaOutput,
  type SchemaValidator,
  type StandardIssue,
  type StandardResult,
  type StandardSchema,
  toJsonSchema,
} from "./tool/schema.js";
export { type ToolSpec, toolDeclaration } from "./tool/spec.js";
export { type AnyTool, type Tool, type ToolOptions, tool, toolError, toolsByName } from "./tool/tool.js";
