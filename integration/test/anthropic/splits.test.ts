import { isDeepStrictEqual } from "node:util";
import { collect, type JsonObject, type ModelResponse, resolvedModel, text, userMessage } from "@tinyagents/core";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

/** A stream as the server writes it. */
function bytesOf(events: readonly JsonObject[]): Uint8Array {
  const text = events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new TextEncoder().encode(text);
}

function block(index: number, content_block: JsonObject, ...deltas: JsonObject[]): readonly JsonObject[] {
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

const head = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null };
const usage = { input_tokens: 9, cache_read_input_tokens: 3, cache_creation_input_tokens: 2, output_tokens: 1 };
const citation = { type: "char_location", cited_text: "草は緑 🌿", document_index: 0 };
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };

const RECORDED: { readonly [name: string]: readonly JsonObject[] } = {
  "thoughts, text and calls": [
    { type: "message_start", message: { ...head, usage } },
    { type: "ping" },
    ...block(
      0,
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: "考えて " },
      { type: "thinking_delta", thinking: "みる 🤔" },
      { type: "signature_delta", signature: "c2lnbmF0dXJl" },
    ),
    ...block(
      1,
      { type: "text", text: "" },
      { type: "text_delta", text: "naïve 👩‍👩‍👧‍👦 " },
      { type: "text_delta", text: "你好\u0000" },
    ),
    ...block(
      2,
      { type: "tool_use", id: "toolu_1", name: "look", input: {} },
      { type: "input_json_delta", partial_json: "" },
      { type: "input_json_delta", partial_json: '{"at":"東' },
      { type: "input_json_delta", partial_json: '京","n":[1,2]}' },
    ),
    ...block(3, { type: "tool_use", id: "toolu_2", name: "see", input: {} }),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { ...usage, output_tokens: 20 } },
    { type: "message_stop" },
  ],
  "citations and the provider's own tools": [
    { type: "message_start", message: { ...head, usage } },
    ...block(0, { type: "redacted_thinking", data: "ZGF0YQ==" }),
    ...block(
      1,
      search,
      { type: "input_json_delta", partial_json: '{"query":"草' },
      { type: "input_json_delta", partial_json: '"}' },
    ),
    ...block(2, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ title: "緑 🌿" }] }),
    ...block(
      3,
      { type: "text", text: "", citations: [] },
      { type: "citations_delta", citation },
      { type: "text_delta", text: "It is " },
      { type: "text_delta", text: "green." },
    ),
    { type: "message_delta", delta: { stop_reason: "end_turn", container: { id: "c" } }, usage: { output_tokens: 8 } },
    { type: "message_stop" },
  ],
};

/** Reads the bytes as they come when the network cuts them after these places. */
function reader(bytes: Uint8Array): (cuts: readonly number[]) => Promise<ModelResponse> {
  let chunks: Uint8Array[] = [];
  const model = anthropicModel("claude-opus-5", {
    apiKey: "k",
    fetch: async () => new Response(bodyOf(chunks), { headers: { "content-type": "text/event-stream" } }),
  });
  return (cuts) => {
    const places = [...new Set(cuts), bytes.length].toSorted((a, b) => a - b);
    chunks = places.map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
    const call = { signal: undefined, delivery: "incremental" } as const;
    return collect(model.stream({ messages: [userMessage("Hi")] }, call), resolvedModel(model));
  };
}

function bodyOf(chunks: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

describe.each(Object.entries(RECORDED))("a recorded stream of %s", (_, events) => {
  const bytes = bytesOf(events);
  const read = reader(bytes);

  it("gives the same answer wherever it is cut once (PA-15, MSG-10)", async () => {
    const whole = await read([]);
    expect(text(whole.message)).toMatch(/^(naïve 👩‍👩‍👧‍👦 你好\0|It is green\.)$/);
    for (let cut = 1; cut < bytes.length; cut++) {
      const { message } = await read([cut]);
      if (!isDeepStrictEqual(message, whole.message)) expect(message, `cut after ${cut} bytes`).toEqual(whole.message);
    }
  });

  it("gives the same answer however often it is cut (PA-15, MSG-10)", async () => {
    const whole = await read([]);
    const cuts = fc.array(fc.nat({ max: bytes.length }), { maxLength: 60 });
    const property = fc.asyncProperty(cuts, async (places) => {
      expect(await read(places)).toEqual(whole);
    });
    await fc.assert(property, { numRuns: 1_000 });
  });
});
