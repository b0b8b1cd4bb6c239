import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@tinyagents/core";

/** A request as it came. */
export interface LineRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** `aborted`: the client closed the connection before the end. */
  readonly ended: Promise<"answered" | "aborted">;
}

/** What the server does with a request. */
export interface Play {
  readonly status?: number;
  readonly headers?: { readonly [name: string]: string };
  /** Written each in a chunk of its own: an object as a line, a text as it is. */
  readonly lines?: readonly (object | string)[];
  /** Cuts what is written into network chunks. */
  readonly chunks?: (bytes: Uint8Array) => readonly Uint8Array[];
  /** After the lines. `silence`: nothing is sent at all. Default `end`. */
  readonly ending?: "end" | "stall" | "cut" | "silence";
}

/** A server on loopback that answers lines of JSON. */
export interface LineServer {
  readonly url: string;
  readonly requests: readonly LineRequest[];
  close(): Promise<void>;
}

/** Starts a server that asks a function what to do with each request. */
export async function lineServer(decide: (request: LineRequest) => Play | Promise<Play>): Promise<LineServer> {
  const requests: LineRequest[] = [];
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => incoming.socket.destroy());
  });
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming, response);
    requests.push(request);
    await perform(await decide(request), response);
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<LineRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const text = Buffer.concat(chunks).toString("utf8");
  const body: unknown = text === "" ? {} : JSON.parse(text);
  const ended = once(response, "close").then(() => (response.writableEnded ? "answered" : "aborted"));
  return { path: incoming.url ?? "", headers: incoming.headers, body: isJsonObject(body) ? body : {}, ended };
}

async function perform(play: Play, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, lines = [], chunks = (bytes) => [bytes], ending = "end" } = play;
  if (ending === "silence") return;
  response.writeHead(status, { "content-type": "application/x-ndjson", ...headers });
  response.flushHeaders();
  const encoder = new TextEncoder();
  for (const line of lines) {
    const bytes = encoder.encode(typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
    for (const chunk of chunks(bytes)) {
      if (response.destroyed) return;
      response.write(chunk);
      await setImmediate();
    }
  }
  if (ending === "end") response.end();
  if (ending === "cut") response.destroy();
}
