import { request as httpRequest } from "node:http";
import type { JsonObject } from "@tinyagents/core";
import { afterEach, describe, expect, test } from "vitest";
import { type OpenAIWireServer, openaiWireServer, type WireAnswer, type WireEnd } from "./index.js";

let server: OpenAIWireServer;
afterEach(() => server.close());

interface Received {
  readonly chunks: readonly Uint8Array[];
  readonly text: string;
  readonly failure: unknown;
}

/** Starts a server with one answer and reads it to its end, however it ends. */
async function receive(answer: WireAnswer, body: JsonObject = { stream: true }): Promise<Received> {
  server = await openaiWireServer([answer]);
  return read(body);
}

function ask(body: JsonObject): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-x", messages: [{ role: "user", content: "hi" }], ...body }),
  });
}

async function read(body: JsonObject = { stream: true }): Promise<Received> {
  const chunks: Uint8Array[] = [];
  let failure: unknown;
  try {
    const response = await ask(body);
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
  } catch (error) {
    failure = error;
  }
  return { chunks, text: Buffer.concat(chunks).toString("utf8"), failure };
}

function dataOf(text: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice(6)] : []));
}

async function ended(): Promise<WireEnd> {
  return (await server.received()).ended;
}

const three = { text: "abc", split: "characters" } as const;

describe("faults of a stream", () => {
  test("a stream without [DONE]", async () => {
    const { text, failure } = await receive({ ...three, faults: [{ type: "no_done" }] });
    expect(failure).toBeUndefined();
    expect(JSON.parse(dataOf(text).at(-1) ?? "").choices[0].finish_reason).toBe("stop");
  });

  test.each([
    [false, "c"],
    [true, "[DONE]"],
  ])("a stream that ends properly without a finish reason (PA-11), done: %s", async (done, last) => {
    const { text, failure } = await receive({ ...three, faults: [{ type: "no_finish", done }] });
    expect(failure).toBeUndefined();
    expect(text).not.toContain('"finish_reason":"stop"');
    expect(dataOf(text).at(-1)).toContain(last);
    expect(await ended()).toBe("answered");
  });

  test("a connection that breaks after so many frames (PA-11)", async () => {
    const { text, failure } = await receive({ ...three, faults: [{ type: "cut", afterFrames: 2 }] });
    expect(failure).toBeInstanceOf(Error);
    expect(dataOf(text)).toHaveLength(2);
    expect(await ended()).toBe("cut");
  });

  test("a connection that breaks after so many bytes", async () => {
    const { text, failure } = await receive({ ...three, faults: [{ type: "cut", afterBytes: 10 }] });
    expect(failure).toBeInstanceOf(Error);
    expect(text).toBe('data: {"id');
  });

  test("a connection that breaks before any header", async () => {
    const { chunks, failure } = await receive({ ...three, faults: [{ type: "cut" }] });
    expect(chunks).toEqual([]);
    expect(failure).toBeInstanceOf(TypeError);
    expect(await ended()).toBe("cut");
  });

  test("a stall that ends when it is told to", async () => {
    let goOn = (): void => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    server = await openaiWireServer([{ ...three, faults: [{ type: "stall", afterFrames: 1, until }] }]);
    const receiving = read();
    await server.received();
    goOn();
    expect(dataOf((await receiving).text).at(-1)).toBe("[DONE]");
    expect(await ended()).toBe("answered");
  });

  test("a stall that sends headers and nothing else", async () => {
    server = await openaiWireServer([{ ...three, faults: [{ type: "stall", afterFrames: 0 }] }]);
    const response = await ask({ stream: true });
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect(await ended()).toBe("aborted");
  });

  test("an error frame first, and after output (PA-18)", async () => {
    const error = { message: "overloaded", type: "server_error", code: "server_error" };
    const first = await receive({ ...three, faults: [{ type: "error_frame", error }] });
    expect(dataOf(first.text).map((data) => JSON.parse(data))).toEqual([{ error }]);
    await server.close();
    const later = await receive({ ...three, faults: [{ type: "error_frame", error, afterFrames: 3 }] });
    expect(dataOf(later.text)).toHaveLength(4);
    expect(JSON.parse(dataOf(later.text)[3] ?? "")).toEqual({ error });
  });

  test("a frame that is no JSON, among others", async () => {
    const { text } = await receive({ ...three, faults: [{ type: "malformed_frame", afterFrames: 1 }] });
    expect(() => JSON.parse(dataOf(text)[1] ?? "")).toThrow();
    expect(dataOf(text).at(-1)).toBe("[DONE]");
  });

  test("frames without choices, with none, and with a choice without a delta (PA-20)", async () => {
    const { text } = await receive({ ...three, faults: [{ type: "bare_frames" }] });
    const objects = dataOf(text)
      .slice(0, -2)
      .map((data) => JSON.parse(data));
    expect(objects[0].choices).toEqual([]);
    expect(objects.some(({ choices }) => choices?.[0] !== undefined && choices[0].delta === undefined)).toBe(true);
    expect(objects.some(({ choices }) => choices === undefined)).toBe(true);
    expect(objects.map(({ choices }) => choices?.[0]?.delta?.content ?? "").join("")).toBe("abc");
    expect(JSON.parse(dataOf(text).at(-1) ?? "")).not.toHaveProperty("choices");
  });

  test.each(["\n", "\r\n", "\r"] as const)("comments, and lines that end in %j", async (lineEnd) => {
    const { text } = await receive({ text: "a", lineEnd, faults: [{ type: "comments" }] });
    expect(text.split(lineEnd + lineEnd).slice(0, 2)).toEqual([
      ": still working",
      expect.stringMatching(/^data: \{.*\}$/),
    ]);
  });
});

/** The body of an answer as it comes in over the wire, one entry per chunk: `fetch` joins what it finds waiting. */
async function receiveChunks(answer: WireAnswer): Promise<readonly Buffer[]> {
  server = await openaiWireServer([answer]);
  const chunks: Buffer[] = [];
  await new Promise((resolve, reject) => {
    const asking = httpRequest(`${server.url}/chat/completions`, { method: "POST" }, (response) => {
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("close", resolve);
    });
    asking.once("error", reject);
    asking.end(JSON.stringify({ model: "gpt-x", messages: [{ role: "user", content: "hi" }], stream: true }));
  });
  await server.close();
  return chunks;
}

describe("network chunks (PA-15)", () => {
  const answer = { text: "漢👩‍🚀" };
  const sizes = (chunks: readonly Buffer[]): readonly number[] => chunks.map(({ length }) => length);

  test("come one per frame", async () => {
    const chunks = await receiveChunks(answer);
    expect(chunks).toHaveLength(4);
    expect(chunks.every((chunk) => chunk.toString().startsWith("data: "))).toBe(true);
  });

  test("fall inside characters and lines, and add up to the same", async () => {
    const plain = Buffer.concat(await receiveChunks(answer));
    const bytes = await receiveChunks({ ...answer, chunks: "bytes" });
    expect(sizes(bytes)).toEqual(Array.from(plain, () => 1));
    expect(Buffer.concat(bytes)).toEqual(plain);
    const chosen = await receiveChunks({ ...answer, chunks: [3, 200] });
    expect(sizes(chosen)).toEqual([3, 200, plain.length - 203]);
    expect(Buffer.concat(chosen)).toEqual(plain);
    const random = await receiveChunks({ ...answer, chunks: { seed: 1, longest: 40 } });
    expect(Math.max(...sizes(random))).toBeLessThanOrEqual(40);
    expect(Buffer.concat(random)).toEqual(plain);
  });

  test("end where a stall or a cut comes", async () => {
    const { text, failure } = await receive({
      ...answer,
      chunks: { seed: 2 },
      faults: [
        { type: "stall", afterFrames: 1, until: Promise.resolve() },
        { type: "cut", afterFrames: 2 },
      ],
    });
    expect(failure).toBeInstanceOf(Error);
    expect(dataOf(text)).toHaveLength(2);
  });
});

describe("faults of a whole answer", () => {
  const whole = (faults: WireAnswer["faults"] & object) => receive({ text: "abc", faults }, {});

  test("a connection that breaks in the middle of the body", async () => {
    const { text, failure } = await whole([{ type: "cut", afterFrames: 3 }]);
    expect(failure).toBeInstanceOf(Error);
    expect(text.startsWith("{")).toBe(true);
    expect(() => JSON.parse(text)).toThrow();
  });

  test("a body that stops coming and goes on", async () => {
    let goOn = (): void => {};
    const until = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    server = await openaiWireServer([{ text: "abc", faults: [{ type: "stall", afterFrames: 5, until }] }]);
    const response = await ask({});
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = (await reader.read()).value;
    expect(() => JSON.parse(Buffer.from(first ?? []).toString())).toThrow();
    goOn();
    expect((await reader.read()).value).toBeDefined();
    expect((await reader.read()).done).toBe(true);
  });

  test("an error, a body that is no JSON, and no finish reason", async () => {
    expect(JSON.parse((await whole([{ type: "error_frame", error: { message: "x" } }])).text)).toEqual({
      error: { message: "x" },
    });
    await server.close();
    const malformed = await whole([{ type: "malformed_frame", data: "<html>" }]);
    expect(malformed.text).toBe("<html>");
    await server.close();
    const unfinished = await whole([{ type: "no_finish" }, { type: "no_done" }, { type: "bare_frames" }]);
    expect(JSON.parse(unfinished.text).choices[0].finish_reason).toBeNull();
  });
});

test("a server closes while it stalls", async () => {
  server = await openaiWireServer([{ ...three, faults: [{ type: "stall", afterFrames: 1 }] }]);
  const receiving = read();
  await server.received();
  await server.close();
  expect((await receiving).failure).toBeInstanceOf(Error);
});
