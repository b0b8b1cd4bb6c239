// Models.
export type { ScriptedAnswer, ScriptedToolCall } from "./answer.js";
// Events.
export { type EventRecorder, eventRecorder } from "./event-recorder.js";
export type { ExpectedRequest, RequestExpectation } from "./expect-request.js";
// Surroundings and faults.
export { type FailAtOptions, type FailingWrites, failAt } from "./fail-at.js";
// Tools.
export {
  type FakeTool,
  type FakeToolBase,
  type FakeToolOptions,
  type FlakyToolOptions,
  fakeTool,
  flakyTool,
  type RecordedToolCall,
} from "./fake-tool.js";
export { fakeChatModel, type StreamingAnswer, streamingModel } from "./fixed-model.js";
export { type Gauge, gauge } from "./gauge.js";
export { type HangingTool, type HangingToolOptions, hangingTool } from "./hanging-tool.js";
export type { RecordedModelCall, RecordingModel, TestModelOptions } from "./recording-model.js";
export { type ScriptEntry, type ScriptedModel, scriptedModel } from "./scripted-model.js";
export { seededRandom } from "./seeded-random.js";
export type { Split } from "./split.js";
export { type TestSurroundings, testSurroundings } from "./surroundings.js";
export { toArray } from "./to-array.js";
export { type TestRuntime, type TestRuntimeOptions, testRuntime } from "./tool-runtime.js";
// Trajectories.
export { type ExpectedArgs, type Trajectory, type TrajectoryOptions, trajectory } from "./trajectory.js";
export type { TrajectoryStep } from "./trajectory-steps.js";
