import type { JsonObject } from "@tinyagents/core";
import type { ScriptedEndpoint } from "../../dialect.js";
import type { WireAnswer } from "../../entry.js";
import { type Frame, type Framing, putBefore, writeEvent } from "../../frame.js";
import type { WireRequest } from "../../request.js";
import { endingOf, responseOf, usageField } from "./body.js";
import { checkResponses } from "./check-responses.js";
import { itemEvents } from "./item-events.js";
import { outputOf } from "./items.js";
import { type Memory, memory } from "./memory.js";

/** `POST /v1/responses`. It remembers its responses, as the API does where they are stored. */
export function responsesEndpoint(extraParams: readonly string[]): ScriptedEndpoint {
  const known = memory();
  return {
    type: "scripted",
    method: "POST",
    lacks: ["usageIn", "embeddings", "no_done"],
    problems: ({ body }) => checkResponses(body, known, extraParams),
    streams: ({ stream }) => stream === true,
    framing,
    frames: (answer, request) => responseFrames(answer, request, known),
    whole(answer, request, finished) {
      const output = remembered(answer, request, known).map(({ item }) => item);
      const end = finished ? { ...endingOf(answer).fields, ...usageField(answer) } : {};
      return { ...responseOf(answer, request), output, ...end };
    },
  };
}

function remembered(answer: WireAnswer, request: WireRequest, known: Memory): ReturnType<typeof outputOf> {
  const output = outputOf(answer, request, known);
  known.keep(
    `resp_${request.number}`,
    request.body,
    output.map(({ item }) => item),
  );
  return output;
}

/**
 * The events of a streamed response, numbered from 0.
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
function responseFrames(answer: WireAnswer, request: WireRequest, known: Memory): readonly Frame[] {
  const response = responseOf(answer, request);
  const output = remembered(answer, request, known);
  const { status, fields } = endingOf(answer);
  const items = output.map(({ item }) => item);
  const last = { ...response, output: items, ...fields, ...usageField(answer) };
  const events = [
    { kind: "start", type: "response.created", fields: { response } },
    { kind: "delta", type: "response.in_progress", fields: { response } },
    ...output
      .flatMap((item, at) => itemEvents(item, at, answer))
      .map((event) => ({ kind: "delta" as const, ...event })),
    { kind: "finish", type: `response.${status}`, fields: { response: last } },
  ] as const;
  return events.map(({ kind, type, fields: said }, at) => numbered(kind, type, said, at));
}

function numbered(kind: Frame["kind"], type: string, fields: JsonObject, at: number): Frame {
  return { kind, event: type, data: JSON.stringify({ type, ...fields, sequence_number: at }) };
}

const DOWN: JsonObject = {
  code: "server_error",
  message: "The server had an error while processing your request.",
  param: null,
};

const framing: Framing = {
  contentType: "text/event-stream; charset=utf-8",
  write: writeEvent,
  comment: ": still working",
  malformed: (data = '{"type":"response.output_text.delta","del') => ({
    kind: "raw",
    event: "response.output_text.delta",
    data,
  }),
  error: (error = DOWN, at) => numbered("raw", "error", error, at),
  bare: withUnknown,
};

/** A sign of life, and events that nobody knows. */
function withUnknown(frames: readonly Frame[]): readonly Frame[] {
  const alive = numbered("raw", "keepalive", {}, 2);
  const unknown = numbered("raw", "response.future_thing.delta", { delta: "of a later version", output_index: 0 }, 3);
  return putBefore(frames.toSpliced(2, 0, alive), ["finish"], [unknown]);
}
