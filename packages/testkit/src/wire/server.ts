import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject, messageOf } from "@tinyagents/core";
import { arrivals } from "../arrivals.js";
import { checkRequest } from "./check-request.js";
import { type Connection, connection } from "./connection.js";
import type { WireAnswer, WireEntry, WireFailure, WireReply } from "./entry.js";
import { failedReply } from "./failure.js";
import { faultOf } from "./fault.js";
import { planStream, planWhole } from "./plan.js";
import type { Problem } from "./problem.js";
import type { WireRequest, WireViolation } from "./request.js";
import { type WireScript, wireScript } from "./script.js";

/** How a wire server behaves besides its script. */
export interface WireServerOptions {
  /** The only key that is let in; others get 401 and use no entry. Default: any. */
  readonly apiKey?: string | undefined;
  /** Whether wrong requests are refused. Default true. */
  readonly validate?: boolean | undefined;
  /** Top-level parameters that are no violation though OpenAI does not know them. Default: none. */
  readonly extraParams?: readonly string[] | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
}

/** A server that speaks OpenAI's Chat Completions on loopback, from a script. */
export interface OpenAIWireServer {
  /** What clients take for a base URL: it ends in `/v1`. */
  readonly url: string;
  /** All requests, in order of arrival: refused ones too. */
  readonly requests: readonly WireRequest[];
  /** What was wrong with requests, in order. */
  readonly violations: readonly WireViolation[];
  /** How many entries have not been used. */
  readonly remaining: number;
  /** Resolves with the `number`-th request (default the first) once it has arrived. */
  received(number?: number): Promise<WireRequest>;
  /** @throws Error that names violations, requests that were not as expected or came too late, and entries left. */
  assertDone(): void;
  /** Breaks what is still open, and resolves when the port is free. */
  close(): Promise<void>;
}

/**
 * Starts a server that answers `POST /v1/chat/completions`, one entry of the script per request; a function in place
 * of the list decides every request. A request that breaks a rule of the API is answered with 400 and uses no entry,
 * and so is one after the last entry. Needs Node.
 *
 * @throws TypeError for an entry that contradicts itself.
 */
export async function openaiWireServer(
  script: readonly WireEntry[] | Exclude<WireEntry, WireReply>,
  options: WireServerOptions = {},
): Promise<OpenAIWireServer> {
  const requests: WireRequest[] = [];
  const violations: WireViolation[] = [];
  const entries = wireScript(script);
  const arrived = arrivals();

  const refuse = (link: Connection, request: WireRequest, problems: readonly Problem[]): Promise<void> => {
    violations.push(...problems.map((problem) => ({ request: request.number, ...problem })));
    const [{ param, message, code }] = problems as readonly [Problem];
    return sendFailure(link, request, { status: 400, param, message, code });
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const link = connection(incoming, response);
    const text = await readText(incoming);
    if (text === undefined) return;
    const { request, problems } = toRequest(incoming, text, link, requests.length + 1);
    requests.push(request);
    arrived.note();
    const path = checkPath(request);
    if (path !== undefined) {
      violations.push({ request: request.number, param: "", message: path.message ?? "", code: null });
      return sendFailure(link, request, path);
    }
    if (options.apiKey !== undefined && request.authorization !== `Bearer ${options.apiKey}`) {
      return sendFailure(link, request, { status: 401 });
    }
    const found =
      options.validate === false ? [] : [...problems, ...checkRequest(request.body, options.extraParams ?? [])];
    if (found.length > 0) return refuse(link, request, found);
    await reply(link, request, entries);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      entries.fail(`The wire server failed: ${messageOf(error)}`);
      incoming.socket.destroy();
    });
  });
  await listen(server, options.port ?? 0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    violations,
    get remaining() {
      return entries.remaining;
    },
    async received(number = 1) {
      await arrived.reached(number);
      return requests[number - 1] as WireRequest;
    },
    assertDone() {
      const said = violations.map(({ request, message }) => `request ${request}: ${message}`);
      const wrong = [...said, ...entries.problems()];
      if (wrong.length > 0) throw new Error(`The wire server is not content:\n  ${wrong.join("\n  ")}`);
    },
    close: () => close(server),
  };
}

/** The body; nothing when the client left before it had sent all of it, which makes no request. */
async function readText(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  } catch (error) {
    if (incoming.complete) throw error;
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function toRequest(
  incoming: IncomingMessage,
  text: string,
  link: Connection,
  number: number,
): { readonly request: WireRequest; readonly problems: readonly Problem[] } {
  const body = parseObject(text);
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  const request: WireRequest = {
    number,
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: Object.fromEntries(headers),
    authorization: incoming.headers.authorization,
    text,
    body: body ?? {},
    get aborted() {
      return link.aborted;
    },
    ended: link.ended,
  };
  const message = "We could not parse the JSON body of your request: it is no JSON object.";
  return { request, problems: body === undefined ? [{ param: "", message, code: null }] : [] };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checkPath({ method, path }: WireRequest): WireFailure | undefined {
  const known = path.split("?", 1)[0] === "/v1/chat/completions";
  if (known && method === "POST") return undefined;
  const message = known ? `Not allowed to ${method} on ${path}.` : `Invalid URL (${method} ${path})`;
  return { status: known ? 405 : 404, code: null, type: "invalid_request_error", message };
}

async function reply(link: Connection, request: WireRequest, script: WireScript): Promise<void> {
  const entry = await script.next(request);
  if (entry.gate !== undefined && !(await link.wait(entry.gate))) return;
  if ("status" in entry) return sendFailure(link, request, entry);
  await sendAnswer(link, request, entry);
}

async function sendAnswer(link: Connection, request: WireRequest, answer: WireAnswer): Promise<void> {
  const { faults = [] } = answer;
  const cut = faultOf(faults, "cut");
  if (cut !== undefined && cut.afterFrames === undefined && cut.afterBytes === undefined) {
    return link.perform([{ type: "cut" }]);
  }
  if (faultOf(faults, "silence") !== undefined) {
    await link.wait(undefined);
    return;
  }
  const streamed = request.body.stream === true;
  link.head(200, {
    "content-type": streamed ? "text/event-stream; charset=utf-8" : "application/json",
    "x-request-id": `req_${request.number}`,
  });
  await link.perform(streamed ? planStream(answer, request) : planWhole(answer, request));
}

async function sendFailure(link: Connection, { number }: WireRequest, failure: WireFailure): Promise<void> {
  const { status, headers, body } = failedReply(failure);
  link.head(status, { "x-request-id": `req_${number}`, ...headers });
  await link.perform([{ type: "send", bytes: new TextEncoder().encode(body) }, { type: "end" }]);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
