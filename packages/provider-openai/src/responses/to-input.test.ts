import {
  type AssistantMessage,
  assistantMessage,
  type Block,
  collect,
  type JsonObject,
  type Message,
  type ModelDelta,
  systemMessage,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { readResponse } from "./from-response.js";
import { InputConverter } from "./to-input.js";

function inputOf(history: readonly Message[], { store = false, after }: { store?: boolean; after?: string } = {}) {
  return new InputConverter("openai", store).convert(history, after);
}
function itemsOf(...history: Message[]): readonly JsonObject[] {
  return inputOf(history).items;
}

/** A message as the server gave it. */
async function answered(...output: JsonObject[]): Promise<AssistantMessage> {
  async function* deltas(): AsyncGenerator<ModelDelta> {
    yield* readResponse({ id: "resp_1", status: "completed", output }, "openai", []);
  }
  return (await collect(deltas(), { id: "openai/m", provider: "openai", model: "m" })).message;
}

const THOUGHT: JsonObject = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" };
const CALL: JsonObject = { type: "function_call", id: "fc_1", call_id: "call_1", name: "look", arguments: "{}" };
const SPEECH: JsonObject = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  phase: "commentary",
  status: "completed",
  content: [{ type: "output_text", text: "Hi.", annotations: [] }],
};
const { id: _, status: __, ...UNNAMED_SPEECH } = SPEECH as JsonObject;
const { id: ___, ...UNNAMED_CALL } = CALL as JsonObject;
const SEARCH: JsonObject = { type: "web_search_call", id: "ws_1", status: "completed" };
const RESULT = toolMessage({ id: "call_1", name: "look" }, "seen");

describe("an answer of the server's own", () => {
  it("goes back as the items that it came as (MSG-09, MSG-12)", async () => {
    expect(itemsOf(await answered(THOUGHT, SEARCH, SPEECH, CALL))).toEqual([THOUGHT, SEARCH, SPEECH, CALL]);
  });

  it("survives being stored", async () => {
    const stored = JSON.parse(JSON.stringify(await answered(THOUGHT, SPEECH, CALL))) as AssistantMessage;
    expect(itemsOf(stored)).toEqual([THOUGHT, SPEECH, CALL]);
  });

  it("goes back in one item where it came in one of several texts", async () => {
    const two = { ...SPEECH, content: ["A", "B"].map((text) => ({ type: "output_text", text, annotations: [] })) };
    expect(itemsOf(await answered(THOUGHT, two))).toEqual([THOUGHT, two]);
    const { content } = two;
    expect(itemsOf(await answered(two))).toEqual([{ ...UNNAMED_SPEECH, content }]);
  });

  it("leaves out a thought that nobody can read again, and the ids that hang on it (PA-06)", async () => {
    const [speech, call] = itemsOf(await answered({ ...THOUGHT, encrypted_content: null }, SPEECH, CALL));
    expect(speech).toEqual(UNNAMED_SPEECH);
    expect(call).toEqual(UNNAMED_CALL);
  });

  it("names a thought by its id where the server keeps answers", async () => {
    const thought = { ...THOUGHT, encrypted_content: null };
    const { items } = inputOf([await answered(thought, CALL)], { store: true });
    expect(items).toEqual([thought, CALL]);
  });

  it("leaves out a thought that nothing came of", async () => {
    expect(itemsOf(await answered(SPEECH, THOUGHT))).toEqual([UNNAMED_SPEECH]);
    expect(itemsOf(await answered(THOUGHT))).toEqual([]);
    const blank = { ...SPEECH, content: [{ type: "output_text", text: "\n", annotations: [] }] };
    expect(itemsOf(await answered(THOUGHT, blank))).toEqual([]);
  });

  it("leaves out a thought that nothing came of, after one that something came of", async () => {
    expect(itemsOf(await answered(THOUGHT, SPEECH, { ...THOUGHT, id: "rs_2" }))).toEqual([THOUGHT, SPEECH]);
  });

  it("goes without ids where somebody took its thoughts out (PA-08)", async () => {
    const { content, ...rest } = await answered(THOUGHT, SPEECH, CALL);
    const shortened = { ...rest, content: content.filter(({ type }) => type !== "reasoning") };
    expect(itemsOf(shortened)).toEqual([UNNAMED_SPEECH, UNNAMED_CALL]);
  });

  it("says what somebody made of it, in the items that it came as", async () => {
    const { content, ...rest } = await answered(THOUGHT, SPEECH, { ...SPEECH, id: "msg_2" });
    const edited = content.map((block) => (block.type === "text" ? { ...block, text: "Ho." } : block));
    const speech = { ...SPEECH, content: [{ type: "output_text", text: "Ho.", annotations: [] }] };
    expect(itemsOf({ ...rest, content: edited })).toEqual([THOUGHT, speech, { ...speech, id: "msg_2" }]);
  });

  it("keeps messages apart that came apart", async () => {
    expect(itemsOf(await answered(SPEECH, { ...SPEECH, id: "msg_2" }))).toEqual([UNNAMED_SPEECH, UNNAMED_SPEECH]);
  });

  it("has no arguments where they were broken (PA-04)", async () => {
    expect(itemsOf(await answered({ ...CALL, arguments: '{"a' }))).toEqual([UNNAMED_CALL]);
  });
});

describe("an answer of another provider", () => {
  it("goes as text, calls and refusals, without what only the other understands (PA-08)", () => {
    const content: Block[] = [
      { type: "reasoning", text: "Hm.", providerMetadata: { acme: { signature: "s" } } },
      { type: "text", text: "Hi.", providerMetadata: { acme: { item: { id: "x" } } } },
      { type: "provider", provider: "acme", value: { a: 1 } },
      { type: "citation", source: { url: "u" } },
      { type: "refusal", text: "No." },
      { type: "tool_call", id: "t", name: "look", args: { a: 1 } },
    ];
    expect(itemsOf(assistantMessage(content))).toEqual([
      {
        type: "message",
        role: "assistant",
        content: [
          { type: "output_text", text: "Hi.", annotations: [] },
          { type: "refusal", refusal: "No." },
        ],
      },
      { type: "function_call", call_id: "t", name: "look", arguments: '{"a":1}' },
    ]);
  });

  it("has its call ids made short enough, the same for call and result (PA-27)", () => {
    const id = "toolu|01:abc.".repeat(10);
    const [call, result] = itemsOf(
      assistantMessage([{ type: "tool_call", id, name: "look", args: {} }]),
      toolMessage({ id, name: "look" }, "seen"),
    );
    expect(call?.call_id).toBe(result?.call_id);
    expect(String(call?.call_id).length).toBeLessThanOrEqual(40);
  });

  it("says nothing where it is empty (PA-26)", () => {
    expect(itemsOf(assistantMessage([{ type: "text", text: " \n" }]))).toEqual([]);
  });
});

describe("what people and tools said", () => {
  const png = { type: "image", source: { type: "base64", mediaType: "image/png", data: "AA==" } } as const;
  const pdf = {
    type: "file",
    name: "a.pdf",
    source: { type: "base64", mediaType: "application/pdf", data: "AA==" },
  } as const;

  it("has images and files in their places", () => {
    const { items, needs } = inputOf([
      userMessage([
        { type: "text", text: "Look:" },
        png,
        pdf,
        { type: "image", source: { type: "url", url: "https://a.test/b.png" }, detail: "low" },
        { type: "file", source: { type: "url", url: "https://a.test/b.pdf" } },
        { type: "file", source: { type: "provider_file", provider: "openai", fileId: "file_1" } },
        { type: "image", source: { type: "provider_file", provider: "openai", fileId: "file_2" } },
      ]),
    ]);
    expect(items).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look:" },
          { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AA==" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AA==" },
          { type: "input_image", detail: "low", image_url: "https://a.test/b.png" },
          { type: "input_file", file_url: "https://a.test/b.pdf" },
          { type: "input_file", file_id: "file_1" },
          { type: "input_image", detail: "auto", file_id: "file_2" },
        ],
      },
    ]);
    expect([...needs].sort()).toEqual(["file_input", "image_input"]);
  });

  it("has a short note and a warning in place of what this API does not take (PA-14)", () => {
    const audio = { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "QUJD" } } as const;
    const foreign = { type: "file", source: { type: "provider_file", provider: "acme", fileId: "f" } } as const;
    const { items, warnings } = inputOf([userMessage([audio, foreign])]);
    expect(JSON.stringify(items)).not.toContain("QUJD");
    expect(items).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "[audio (audio/wav)]" },
          { type: "input_text", text: "[file]" },
        ],
      },
    ]);
    expect(warnings).toHaveLength(2);
  });

  it("has results as text, and as parts where they hold media", () => {
    const call = { id: "call_1", name: "look" };
    expect(itemsOf(RESULT)).toEqual([{ type: "function_call_output", call_id: "call_1", output: "seen" }]);
    expect(itemsOf(toolMessage(call, [{ type: "text", text: "seen" }, png]))).toEqual([
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "seen" },
          { type: "input_image", detail: "auto", image_url: "data:image/png;base64,AA==" },
        ],
      },
    ]);
  });

  it("may hold an item of the server's own", () => {
    const approval = { type: "mcp_approval_response", approval_request_id: "a", approve: true };
    expect(itemsOf(userMessage([{ type: "provider", provider: "openai", value: approval }]))).toEqual([approval]);
  });
});

describe("instructions", () => {
  it("are the system messages that come first; later ones stand where they stand", () => {
    const { instructions, items, needs } = inputOf([
      systemMessage("Be brief."),
      systemMessage("Be kind."),
      userMessage("Hi"),
      systemMessage("Now be long."),
    ]);
    expect(instructions).toBe("Be brief.\nBe kind.");
    expect(items).toEqual([
      { role: "user", content: [{ type: "input_text", text: "Hi" }] },
      { role: "system", content: "Now be long." },
    ]);
    expect(needs).toContain("system_messages");
  });
});

describe("MSG-07 a history that goes on from a response that the server keeps", () => {
  it("is sent from there on, with the instructions, which the server does not keep", async () => {
    const first = await answered(CALL);
    const history = [systemMessage("Be brief."), userMessage("Hi"), first, RESULT];
    const { instructions, items } = inputOf(history, { store: true, after: "resp_1" });
    expect(instructions).toBe("Be brief.");
    expect(items).toEqual([{ type: "function_call_output", call_id: "call_1", output: "seen" }]);
  });

  it("is sent whole where it does not hold that response", () => {
    expect(inputOf([userMessage("Hi")], { after: "resp_9" }).items).toHaveLength(1);
  });
});
