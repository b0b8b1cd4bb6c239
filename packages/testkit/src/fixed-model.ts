import type { ModelResponse } from "@tinyagents/core";
import { checkAnswer, type ScriptedAnswer } from "./answer.js";
import { expectRequest } from "./expect-request.js";
import { type RecordingModel, recordingModel, type TestModelOptions } from "./recording-model.js";
import { toAnswer } from "./scripted-model.js";
import type { Split } from "./split.js";

/** A model that gives the same answer each time: a text, an answer, or a response that was had elsewhere. */
export function fakeChatModel(
  answer: string | ScriptedAnswer | ModelResponse,
  options: TestModelOptions = {},
): RecordingModel {
  return fixedModel(isResponse(answer) ? responseAnswer(answer) : toAnswer(answer), "test/fake", options);
}

/** What a streaming model says, and where it is cut. */
export interface StreamingAnswer extends ScriptedAnswer {
  /** Default: after each character. */
  readonly split?: Split;
}

/**
 * A model that gives the same answer each time, in fragments with chosen boundaries: text, reasoning, refusals and
 * the arguments of tool calls are cut alike. A caller that asks for whole blocks gets whole blocks, which add up to
 * the same.
 */
export function streamingModel(
  { split = "characters", ...answer }: StreamingAnswer,
  options: Omit<TestModelOptions, "split"> = {},
): RecordingModel {
  return fixedModel(answer, "test/streaming", { ...options, split });
}

function fixedModel(answer: ScriptedAnswer, id: string, options: TestModelOptions): RecordingModel {
  checkAnswer(answer, "the answer");
  return recordingModel(
    (request) => {
      if (answer.expect !== undefined) expectRequest(request, answer.expect);
      return answer;
    },
    id,
    options,
  );
}

function isResponse(answer: string | ScriptedAnswer | ModelResponse): answer is ModelResponse {
  return typeof answer === "object" && "message" in answer;
}

function responseAnswer({ message, finishReason, usage }: ModelResponse): ScriptedAnswer {
  return { blocks: message.content, finishReason, ...(usage === undefined ? {} : { usage }) };
}
