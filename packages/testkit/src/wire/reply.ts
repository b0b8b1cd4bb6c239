import type { JsonObject } from "@tinyagents/core";
import type { Connection } from "./connection.js";
import type { Dialect, ScriptedEndpoint } from "./dialect.js";
import type { WireAnswer, WireFailure } from "./entry.js";
import { faultOf } from "./fault.js";
import { planStream, planWhole } from "./plan.js";
import type { WireRequest } from "./request.js";

/** One request that is to be answered: where to, and in which API's words. */
export interface Turn {
  readonly link: Connection;
  readonly request: WireRequest;
  readonly dialect: Dialect;
}

/** Sends an answer, with what is to go wrong in it. */
export async function sendAnswer(turn: Turn, endpoint: ScriptedEndpoint, answer: WireAnswer): Promise<void> {
  const { link, request } = turn;
  const { faults = [] } = answer;
  const cut = faultOf(faults, "cut");
  if (cut !== undefined && cut.afterFrames === undefined && cut.afterBytes === undefined) {
    return link.perform([{ type: "cut" }]);
  }
  if (faultOf(faults, "silence") !== undefined) {
    await link.wait(undefined);
    return;
  }
  const streamed = endpoint.streams(request.body);
  const actions = streamed ? planStream(answer, request, endpoint) : planWhole(answer, request, endpoint);
  const contentType = streamed ? endpoint.framing.contentType : "application/json";
  link.head(200, { "content-type": contentType, ...requestId(turn), ...answer.headers });
  await link.perform(actions);
}

/** Sends a refusal. */
export async function sendFailure(turn: Turn, failure: WireFailure): Promise<void> {
  const { status, headers, body } = turn.dialect.failed(failure, turn.request);
  turn.link.head(status, { ...requestId(turn), ...headers });
  await sendBody(turn.link, body);
}

/** Sends something that is no answer of a model. */
export async function sendJson(turn: Turn, value: JsonObject): Promise<void> {
  turn.link.head(200, { "content-type": "application/json", ...requestId(turn) });
  await sendBody(turn.link, JSON.stringify(value));
}

function sendBody(link: Connection, body: string): Promise<void> {
  return link.perform([{ type: "send", bytes: new TextEncoder().encode(body) }, { type: "end" }]);
}

function requestId({ dialect, request }: Turn): { readonly [name: string]: string } {
  return dialect.requestIdHeader === undefined ? {} : { [dialect.requestIdHeader]: `req_${request.number}` };
}
