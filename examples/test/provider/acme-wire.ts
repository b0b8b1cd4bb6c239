import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import {
  meeting,
  type RecordedRequest,
  type Scenario,
  type ScenarioFailure,
  scenarios,
  type Wire,
} from "@tinyagents/conformance";
import type { JsonObject } from "@tinyagents/core";
import { seededRandom } from "@tinyagents/testkit";
import { framesOf } from "./acme-frames.js";

/** Acme's status and code for each way to refuse. */
const REFUSALS: {
  readonly [F in Exclude<ScenarioFailure, "error_in_stream">]: readonly [status: number, code: string];
} = {
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

/** Plays scenarios as Acme would, on a real socket. */
export const acmeWire: Wire = {
  async start(name) {
    const scenario: Scenario = scenarios[name];
    const meet = meeting(scenario.together ?? 1);
    const requests: RecordedRequest[] = [];
    const server = createServer(async (incoming, response) => {
      const body = (await json(incoming)) as JsonObject;
      const ended = once(response, "close").then(() => (response.writableFinished ? "answered" : "aborted"));
      requests.push({ body, ended });
      await meet(undefined);
      await play(scenario, { body, number: requests.length, incoming, response });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const close = async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close, requests: () => requests };
  },
};

/** One request that is being answered. */
interface Turn {
  readonly body: JsonObject;
  /** 1 for the first. */
  readonly number: number;
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
}

async function play(scenario: Scenario, turn: Turn): Promise<void> {
  const { answer, failure, manner, retryAfterMs } = scenario;
  const { body, incoming, response } = turn;
  if (manner === "silence") return;
  if (failure !== undefined && failure !== "error_in_stream") {
    const [status, code] = REFUSALS[failure];
    const message = `No. Your key is ${incoming.headers.authorization?.slice("Bearer ".length)}.`;
    const hint = retryAfterMs === undefined ? {} : { "retry-after": String(retryAfterMs / 1_000) };
    response.writeHead(status, hint).end(JSON.stringify({ error: { code, message } }));
    return;
  }
  const said = manner === "echo" ? { text: lastText(body), finishReason: "stop" as const } : answer;
  const frames = said === undefined ? [] : framesOf(said, manner);
  const failing = failure === undefined ? frames : [...frames.slice(0, said?.text === undefined ? 0 : 1), ERROR];
  if (body.stream === true) await sendStream(failing, scenario, turn);
  else sendWhole(failing, scenario, turn);
}

const ERROR: JsonObject = { error: { code: "broken", message: "Something broke." } };

function sendWhole(frames: readonly JsonObject[], { manner }: Scenario, { response }: Turn): void {
  const body = JSON.stringify({ frames });
  response.writeHead(200, { "content-type": "application/json" });
  if (manner === "cut") response.write(body.slice(0, body.length / 2), () => response.destroy());
  else response.end(body);
}

async function sendStream(
  frames: readonly JsonObject[],
  { manner }: Scenario,
  { number, response }: Turn,
): Promise<void> {
  const short = manner === "stall" || manner === "cut" || manner === "early_end";
  const comment = manner === "noise" ? ": nothing to see\n\n" : "";
  const lines = (short ? frames.slice(0, 1) : frames).map((frame) => `${comment}data: ${JSON.stringify(frame)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunksOf(Buffer.from(lines.join("")), manner, number)) {
    await new Promise((resolve) => response.write(chunk, resolve));
  }
  if (manner === "cut") response.destroy();
  else if (manner !== "stall") response.end();
}

function* chunksOf(bytes: Buffer, manner: Scenario["manner"], seed: number): Generator<Buffer> {
  const random = seededRandom(seed);
  const whole = manner !== "bytes" && manner !== "random";
  for (let start = 0; start < bytes.length; ) {
    const length = whole ? bytes.length : manner === "bytes" ? 1 : 1 + Math.floor(random() * 8);
    yield bytes.subarray(start, start + length);
    start += length;
  }
}

function lastText({ messages }: JsonObject): string {
  const last = Array.isArray(messages) ? (messages.at(-1) as JsonObject) : {};
  return String(last.text ?? "");
}
