import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf } from "@tinyagents/core";
import { arrivals } from "../arrivals.js";
import { connection } from "./connection.js";
import type { Dialect, Endpoint, ScriptedEndpoint } from "./dialect.js";
import type { WireEntries, WireFailure } from "./entry.js";
import { readText, toRequest } from "./incoming.js";
import type { Problem } from "./problem.js";
import { sendAnswer, sendFailure, sendJson, type Turn } from "./reply.js";
import type { WireRequest, WireViolation } from "./request.js";
import { type WireScript, wireScript } from "./script.js";

/** How a wire server behaves besides its script. */
export interface WireServerOptions {
  /** The only key that is let in; others get 401 and use no entry. Default: any. */
  readonly apiKey?: string | undefined;
  /** Whether wrong requests are refused. Default true. */
  readonly validate?: boolean | undefined;
  /** Top-level parameters that are no violation though the API does not know them. Default: none. */
  readonly extraParams?: readonly string[] | undefined;
  /**
   * A rule of this server alone, as compatible servers have them. The text that it gives is answered with 400; that is
   * no violation, and uses no entry.
   */
  readonly refuses?: ((request: WireRequest) => string | undefined) | undefined;
  /** Default: one that is free. */
  readonly port?: number | undefined;
}

/** A server on loopback that speaks a provider's API from a script. */
export interface WireServer {
  /** What clients take for a base URL. */
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
 * Starts a server that speaks one dialect. Where it answers from the script, one entry answers one request. A request
 * that breaks a rule of the API is refused as the API does it and uses no entry, and so is one after the last entry.
 *
 * @throws TypeError for an entry that contradicts itself.
 */
export async function wireServer(
  dialect: Dialect,
  script: WireEntries,
  options: WireServerOptions = {},
): Promise<WireServer> {
  const requests: WireRequest[] = [];
  const violations: WireViolation[] = [];
  const entries = wireScript(script);
  const arrived = arrivals();

  const refuse = (turn: Turn, problems: readonly Problem[]): Promise<void> => {
    const { number } = turn.request;
    violations.push(...problems.map(({ param, message, code }) => ({ request: number, param, message, code })));
    const [first] = problems as readonly [Problem];
    return sendFailure(turn, { status: 400, ...first });
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const link = connection(incoming, response);
    const text = await readText(incoming);
    if (text === undefined) return;
    const { request, problems } = toRequest(incoming, text, link, requests.length + 1);
    requests.push(request);
    arrived.note();
    const turn: Turn = { link, request, dialect };
    const endpoint = dialect.endpoint(request.path.split("?", 1)[0] ?? "");
    if (endpoint?.method !== request.method) return refuse(turn, [wrongPlace(request, endpoint)]);
    if (options.apiKey !== undefined && dialect.keyOf(request) !== options.apiKey) {
      return sendFailure(turn, { status: 401 });
    }
    const rules = endpoint.type === "scripted" ? endpoint.problems(request) : [];
    const found = options.validate === false ? [] : [...problems, ...rules];
    if (found.length > 0) return refuse(turn, found);
    const unwilling = unwillingness(request, endpoint, options);
    if (unwilling !== undefined) return sendFailure(turn, unwilling);
    await answer(turn, endpoint, entries);
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
    url: `http://127.0.0.1:${port}${dialect.base}`,
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

function wrongPlace({ method, path }: WireRequest, endpoint: Endpoint | undefined): Problem {
  return endpoint === undefined
    ? { status: 404, param: "", message: `Invalid URL (${method} ${path})`, code: null }
    : { status: 405, param: "", message: `Not allowed to ${method} on ${path}.`, code: null };
}

function unwillingness(
  request: WireRequest,
  endpoint: Endpoint,
  { refuses }: WireServerOptions,
): WireFailure | undefined {
  const message = refuses?.(request);
  if (message !== undefined) return { status: 400, message };
  return endpoint.type === "scripted" ? endpoint.refusal?.(request) : undefined;
}

async function answer(turn: Turn, endpoint: Endpoint, script: WireScript): Promise<void> {
  if (endpoint.type === "fixed") {
    const found = endpoint.answer(turn.request);
    return isFailure(found) ? sendFailure(turn, found) : sendJson(turn, found.body);
  }
  await reply(turn, endpoint, script);
}

async function reply(turn: Turn, endpoint: ScriptedEndpoint, script: WireScript): Promise<void> {
  const entry = await script.next(turn.request, endpoint);
  if (entry.gate !== undefined && !(await turn.link.wait(entry.gate))) return;
  if (isFailure(entry)) return sendFailure(turn, entry);
  await sendAnswer(turn, endpoint, entry);
}

function isFailure(reply: object): reply is WireFailure {
  return "status" in reply;
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
