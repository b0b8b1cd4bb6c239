import { collect, type JsonObject, type ModelDelta, type ModelResponse } from "@tinyagents/core";
import { APIError } from "openai";
import { describe, expect, it } from "vitest";
import { EventReader } from "./from-events.js";
import { readResponse } from "./from-response.js";

const IDENTITY = { id: "openai/m", provider: "openai", model: "m" };

const REASONING: JsonObject = {
  type: "reasoning",
  id: "rs_1",
  summary: [
    { type: "summary_text", text: "First." },
    { type: "summary_text", text: "Then." },
  ],
  encrypted_content: "c2VjcmV0",
};
const CALL: JsonObject = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "look",
  arguments: '{"at":"東京"}',
  status: "completed",
};
const SEARCH: JsonObject = {
  type: "web_search_call",
  id: "ws_1",
  status: "completed",
  action: { type: "search", query: "x" },
};

function message(...content: JsonObject[]): JsonObject {
  return { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
}
function said(text: string, annotations: JsonObject[] = [], more: JsonObject = {}): JsonObject {
  return { type: "output_text", text, annotations, logprobs: [], ...more };
}

function response(output: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return { id: "resp_1", object: "response", model: "m-2025", status: "completed", error: null, output, ...more };
}

/** The events in which a server tells of one item. */
function eventsOf(item: JsonObject, output_index: number): JsonObject[] {
  const at = { output_index, item_id: item.id ?? "" };
  const events: JsonObject[] = [{ type: "response.output_item.added", output_index, item: { ...item, arguments: "" } }];
  if (item.type === "message") {
    for (const [content_index, part] of (item.content as JsonObject[]).entries()) {
      if (part.type !== "output_text" && part.type !== "refusal") continue;
      const [type, whole] =
        part.type === "refusal"
          ? ["response.refusal.delta", String(part.refusal)]
          : ["response.output_text.delta", String(part.text)];
      for (const delta of whole.match(/.{1,3}/gsu) ?? []) events.push({ type, ...at, content_index, delta });
    }
  }
  if (item.type === "reasoning") {
    for (const [summary_index, { text }] of (item.summary as JsonObject[]).entries()) {
      events.push({ type: "response.reasoning_summary_part.added", ...at, summary_index });
      for (const delta of String(text).match(/.{1,3}/gsu) ?? []) {
        events.push({ type: "response.reasoning_summary_text.delta", ...at, summary_index, delta });
      }
    }
  }
  if (item.type === "function_call") {
    for (const delta of String(item.arguments).match(/.{1,3}/gsu) ?? []) {
      events.push({ type: "response.function_call_arguments.delta", ...at, delta });
    }
  }
  return [...events, { type: "response.output_item.done", output_index, item }];
}

function streamOf(whole: JsonObject): JsonObject[] {
  const items = (whole.output as JsonObject[]).flatMap(eventsOf);
  const type = whole.status === "incomplete" ? "response.incomplete" : "response.completed";
  return [
    { type: "response.created", response: { id: "resp_1", model: "m-2025", status: "in_progress", output: [] } },
    ...items,
    { type, response: whole },
  ];
}

function responseOf(deltas: readonly ModelDelta[]): Promise<ModelResponse> {
  async function* all(): AsyncGenerator<ModelDelta> {
    yield* deltas;
  }
  return collect(all(), IDENTITY);
}

function readEvents(events: readonly JsonObject[]): Promise<ModelResponse> {
  const reader = new EventReader("openai", []);
  return responseOf([...events.flatMap((event) => reader.read(event)), ...reader.end()]);
}

describe("an answer of the Responses API", () => {
  it("keeps its items in their order, with what goes back onto the wire (MSG-06, MSG-09, MSG-12)", async () => {
    const { message: answer, ...rest } = await readEvents(
      streamOf(response([REASONING, SEARCH, message(said("Hello.")), CALL])),
    );
    expect(answer.content).toEqual([
      { type: "reasoning", text: "First.\n\nThen.", providerMetadata: { openai: { item: REASONING } } },
      { type: "provider", provider: "openai", value: SEARCH },
      {
        type: "text",
        text: "Hello.",
        providerMetadata: {
          openai: { item: { type: "message", id: "msg_1", role: "assistant", status: "completed" } },
        },
      },
      {
        type: "tool_call",
        id: "call_1",
        name: "look",
        args: { at: "東京" },
        providerMetadata: { openai: { item: { type: "function_call", id: "fc_1", status: "completed" } } },
      },
    ]);
    expect(rest).toMatchObject({ responseId: "resp_1", finishReason: "tool_calls", model: { model: "m-2025" } });
  });

  it.each<[string, JsonObject]>([
    ["text", response([message(said("Hi."))])],
    [
      "several texts, with what they cite",
      response([message(said("A", [{ type: "url_citation", url: "u" }]), said("B"))]),
    ],
    ["thoughts without a text", response([{ ...REASONING, summary: [] }, message(said("Hi."))])],
    [
      "thoughts in the model's own words",
      response([{ type: "reasoning", id: "rs", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] }]),
    ],
    ["calls", response([CALL, { ...CALL, id: "fc_2", call_id: "call_2", arguments: "" }])],
    ["a call with broken arguments", response([{ ...CALL, arguments: '{"at":' }])],
    ["a refusal", response([message({ type: "refusal", refusal: "No." })])],
    ["a part that nobody knows", response([message({ type: "output_song", notes: "la" }, said("Hi."))])],
    ["a part without text", response([message(said(""), said("Hi."))])],
    ["probabilities of its tokens", response([message(said("Hi.", [], { logprobs: [{ token: "Hi" }] }))])],
    [
      "an answer that was cut",
      response([message(said("H"))], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
    ],
    ["fields of the server's own", response([message(said("Hi."))], { service_tier: "flex", x_note: { a: 1 } })],
    [
      "usage",
      response([message(said("Hi."))], {
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens: 5,
          output_tokens_details: { reasoning_tokens: 2 },
        },
      }),
    ],
  ])("is the same in both deliveries: %s (MDL-10, PA-09, PA-10)", async (_, whole) => {
    const streamed = await readEvents(streamOf(whole));
    expect(streamed).toEqual(await responseOf(readResponse(whole, "openai", [])));
    expect(streamed.message.content).not.toEqual([]);
  });

  it.each<[string, JsonObject, string]>([
    ["completed", {}, "stop"],
    ["cut at the token limit", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    ["filtered", { status: "incomplete", incomplete_details: { reason: "content_filter" } }, "content_filter"],
    ["cancelled", { status: "cancelled" }, "other"],
  ])("that was %s says so", async (_, more, reason) => {
    const { finishReason } = await responseOf(readResponse(response([message(said("Hi."))], more), "openai", []));
    expect(finishReason).toBe(reason);
  });

  it("tells usage with its classes (USG-01, USG-05)", async () => {
    const usage = {
      input_tokens: 9,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
    };
    const { usage: told } = await readEvents(streamOf(response([message(said("Hi."))], { usage })));
    expect(told).toEqual({
      inputTokens: 9,
      outputTokens: 5,
      cachedInputTokens: 4,
      reasoningTokens: 2,
      source: "reported",
    });
  });

  it("keeps fields that have no home, and not those that repeat the request (MSG-08)", async () => {
    const more = { service_tier: "flex", tools: [], instructions: "Be brief." };
    const { providerData } = await readEvents(streamOf(response([message(said("Hi."))], more)));
    expect(providerData).toEqual({ service_tier: "flex" });
  });
});

describe("a stream of the Responses API", () => {
  const events = streamOf(response([message(said("Hello.")), CALL]));

  it("without its last event has no end (PA-11)", async () => {
    const reader = new EventReader("openai", []);
    for (const event of events.slice(0, -1)) reader.read(event);
    expect(reader.end()).toEqual([]);
  });

  it("may hold events that nobody knows, and events without what they should have", async () => {
    const odd: JsonObject[] = [
      { type: "response.song.delta", delta: "la" },
      {},
      { type: "response.output_item.done" },
      { type: "response.output_item.added", item: null },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: null },
      { type: "response.created" },
    ];
    expect(await readEvents(events.flatMap((event) => [event, ...odd]))).toEqual(await readEvents(events));
  });

  it("is read from its last event alone, where a server sends no other", async () => {
    expect(await readEvents(events.slice(-1))).toEqual(await readEvents(events));
  });

  it("is read where a server sends items only when they are done", async () => {
    const whole = events.filter(
      ({ type }) => !String(type).endsWith(".delta") && type !== "response.output_item.added",
    );
    expect(await readEvents(whole)).toEqual(await readEvents(events));
  });

  it("tells arguments as they come, and ends a call with its item alone (PA-02)", () => {
    const reader = new EventReader("openai", []);
    const told = eventsOf({ ...CALL, arguments: '{"a":1}{"b":2}' }, 0).flatMap((event) => reader.read(event));
    expect(told.map(({ type }) => type)).toEqual([
      "tool_call_start",
      ...Array(5).fill("tool_call_args"),
      "provider",
      "tool_call_end",
    ]);
  });

  it.each<[string, JsonObject]>([
    ["an error", { type: "error", code: "rate_limit_exceeded", message: "Slow down.", param: null }],
    [
      "a failed response",
      {
        type: "response.failed",
        response: { id: "r", status: "failed", error: { code: "server_error", message: "Oh." } },
      },
    ],
  ])("that ends with %s fails (PA-18)", (_, event) => {
    const reader = new EventReader("openai", []);
    expect(() => [...reader.read(event), ...reader.end()]).toThrow(APIError);
  });
});

describe("what is no answer", () => {
  it.each([
    ["null", null],
    ["a text", "hi"],
    ["without output", { id: "r", status: "completed" }],
  ])("is refused: %s", (_, wire) => {
    expect(() => readResponse(wire, "openai", [])).toThrow(expect.objectContaining({ code: "provider_server" }));
  });

  it("is an answer that is still being made elsewhere", () => {
    const waiting = { id: "r", status: "queued", output: [] };
    expect(() => readResponse(waiting, "openai", [])).toThrow(
      expect.objectContaining({ code: "provider_server", message: expect.stringContaining("queued") }),
    );
  });
});
