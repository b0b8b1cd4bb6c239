import type { JsonObject } from "@tinyagents/core";

/** What a fetch without a network answers: a JSON body, lines, or what it is told to do. */
export type Reply =
  | { readonly json: unknown; readonly status?: number; readonly headers?: Record<string, string> }
  | { readonly lines: readonly unknown[] }
  | { readonly text: string; readonly status?: number; readonly headers?: Record<string, string> }
  | Error;

/** A request as it was made. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** A fetch that answers these in turn, and keeps what it was asked. */
export function answering(...replies: readonly Reply[]): { readonly fetch: typeof fetch; readonly sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    async fetch(input, init) {
      const body = typeof init?.body === "string" ? (JSON.parse(init.body) as JsonObject) : {};
      sent.push({ method: init?.method ?? "GET", url: String(input), headers: new Headers(init?.headers), body });
      const reply = replies[sent.length - 1];
      if (reply === undefined) throw new Error(`request ${sent.length} was not expected`);
      if (reply instanceof Error) throw reply;
      return toResponse(reply);
    },
  };
}

function toResponse(reply: Exclude<Reply, Error>): Response {
  if ("lines" in reply) {
    const text = reply.lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
    return new Response(text, { headers: { "content-type": "application/x-ndjson" } });
  }
  const { status = 200, headers = {} } = reply;
  const json = "json" in reply;
  const type = json ? "application/json; charset=utf-8" : "text/plain";
  return new Response(json ? JSON.stringify(reply.json) : reply.text, {
    status,
    headers: { "content-type": type, ...headers },
  });
}

/** A line of a streamed answer. */
export function line(message: object, more: object = {}): object {
  return {
    model: "qwen3",
    created_at: "2026-01-01T00:00:00Z",
    message: { role: "assistant", ...message },
    done: false,
    ...more,
  };
}

/** The last line of an answer. */
export function lastLine(more: object = {}, message: object = { content: "" }): object {
  return line(message, { done: true, done_reason: "stop", prompt_eval_count: 12, eval_count: 4, ...more });
}
