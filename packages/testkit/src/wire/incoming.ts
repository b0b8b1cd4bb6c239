import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject } from "@tinyagents/core";
import type { Connection } from "./connection.js";
import type { Problem } from "./problem.js";
import type { WireRequest } from "./request.js";

/** The body; nothing when the client left before it had sent all of it, which makes no request. */
export async function readText(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  } catch (error) {
    if (incoming.complete) throw error;
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** The request, and what is wrong with its body as such. */
export function toRequest(
  incoming: IncomingMessage,
  text: string,
  link: Connection,
  number: number,
): { readonly request: WireRequest; readonly problems: readonly Problem[] } {
  const { method = "", url = "", headers } = incoming;
  const body = method === "GET" && text === "" ? {} : parseObject(text);
  const request: WireRequest = {
    number,
    method,
    path: url,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)] as const)),
    authorization: headers.authorization,
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
