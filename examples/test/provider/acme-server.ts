import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import type { RecordedRequest, ScenarioFailure, WireServer } from "@tinyagents/conformance";
import type { JsonObject } from "@tinyagents/core";

/** One request that is being answered. */
export interface Turn {
  readonly body: JsonObject;
  /** 1 for the first. */
  readonly number: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

/** Starts a server on loopback that keeps what it gets, and does with it what `play` says. */
export async function acmeServer(play: (turn: Turn) => void | Promise<void>): Promise<WireServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const body = (await json(incoming)) as JsonObject;
    const ended = once(response, "close").then(() => (response.writableFinished ? "answered" : "aborted"));
    requests.push({ body, ended });
    await play({ body, number: requests.length, incoming, response });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close, requests: () => requests };
}

/** A failure that has a status. */
export type Refused = Exclude<ScenarioFailure, "error_in_stream">;

/** Acme's status and code for each way to refuse. */
const REFUSALS: { readonly [F in Refused]: readonly [status: number, code: string] } = {
  auth: [401, "bad_key"],
  auth_echo: [401, "bad_key"],
  quota: [402, "no_credit"],
  rate_limit: [429, "slow_down"],
  overloaded: [503, "busy"],
  server_error: [500, "broken"],
  bad_request: [400, "invalid"],
  context_window: [413, "too_long"],
  model_not_found: [404, "unknown_model"],
};

/** Refuses a request, and repeats its key as servers do. */
export function refuse({ incoming, response }: Turn, failure: Refused, retryAfterMs: number | undefined): void {
  const [status, code] = REFUSALS[failure];
  const message = `No. Your key is ${incoming.headers.authorization?.slice("Bearer ".length)}.`;
  const hint = retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1_000) };
  response.writeHead(status, hint).end(JSON.stringify({ error: { code, message } }));
}

/** Sends a whole body, or breaks off in its middle. */
export function sendBody({ response }: Turn, value: JsonObject, cut: boolean): void {
  const body = JSON.stringify(value);
  response.writeHead(200, { "content-type": "application/json" });
  if (cut) response.write(body.slice(0, body.length / 2), () => response.destroy());
  else response.end(body);
}
