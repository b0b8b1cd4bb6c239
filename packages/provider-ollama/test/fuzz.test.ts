import {
  assistantMessage,
  type Block,
  collect,
  isJsonObject,
  type Message,
  type ModelResponse,
  resolvedModel,
  systemMessage,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import { ollamaModel } from "@tinyagents/provider-ollama";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answering, lastLine, line } from "./answering.js";

/** Thousands of cases, on a machine that may be busy. */
const PATIENT = { timeout: 60_000 };

const ANSWER = [
  line({ content: "", thinking: "考える 🤔" }),
  line({ content: "你好 " }),
  line({ content: "👩‍👩‍👧 naïve \u2028 end" }),
  line({ content: "", tool_calls: [{ function: { index: 0, name: "look", arguments: { at: "東京" } } }] }),
  line({ content: "", tool_calls: [{ function: { index: 0, name: "look", arguments: {} } }] }),
  lastLine({ total_duration: 5 }),
];
const BYTES = new TextEncoder().encode(ANSWER.map((one) => `${JSON.stringify(one)}\n`).join(""));

/** The answer to these bytes, when they come in pieces that end at these places. */
function answerTo(bytes: Uint8Array, places: readonly number[]): Promise<ModelResponse> {
  const edges = [...new Set([...places.filter((place) => place < bytes.length), bytes.length])].sort((a, b) => a - b);
  const chunks = edges.map((end, at) => bytes.slice(edges[at - 1] ?? 0, end));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(chunk);
    },
  });
  return ask({ fetch: async () => new Response(body) }, [userMessage("Hi")]);
}

function ask(options: { fetch: typeof fetch }, messages: readonly Message[]): Promise<ModelResponse> {
  const profile = { capabilities: { audio_input: "unknown", file_input: "unknown" } } as const;
  const model = ollamaModel("qwen3", { ...options, profile });
  return collect(model.stream({ messages }, { signal: undefined, delivery: "incremental" }), resolvedModel(model));
}

describe("an answer in network chunks", () => {
  it("is the same wherever they are cut, also within characters (PA-15, MSG-10)", PATIENT, async () => {
    const whole = await answerTo(BYTES, []);
    expect(whole.message.content).toHaveLength(4);
    const places = fc.array(fc.integer({ min: 1, max: BYTES.length }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(places, async (at) => {
        expect(await answerTo(BYTES, at)).toEqual(whole);
      }),
      { numRuns: 2_000, seed: 15 },
    );
  });

  it("that ends anywhere too early is a failure that keeps the visible text (PA-11)", PATIENT, async () => {
    const visible = "你好 👩‍👩‍👧 naïve \u2028 end";
    const lengths = fc.integer({ min: 0, max: BYTES.length - 3 });
    await fc.assert(
      fc.asyncProperty(lengths, async (length) => {
        const error = await answerTo(BYTES.slice(0, length), []).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: "network", details: { reason: "stream_cut_short" } });
        const { partialText } = (error as { details: { partialText: string } }).details;
        expect(visible.startsWith(partialText)).toBe(true);
      }),
      { numRuns: 200, seed: 11 },
    );
  });
});

const word = fc.string({ unit: "grapheme", maxLength: 8 });
const foreign = fc.dictionary(
  fc.constantFrom("openai", "anthropic", "google", "ollama"),
  fc.dictionary(fc.constantFrom("sig", "id"), word),
  {
    maxKeys: 2,
  },
);
const medium: fc.Arbitrary<Block> = fc.constantFrom<Block>(
  { type: "image", source: { type: "base64", mediaType: "image/png", data: "AAAA" } },
  { type: "audio", source: { type: "base64", mediaType: "audio/wav", data: "BBBB" } },
  { type: "file", name: "a.pdf", source: { type: "provider_file", provider: "openai", fileId: "file-1" } },
);
const said: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: word }),
  fc.record({ type: fc.constant("json" as const), value: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<never> }),
);
const thought: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant("reasoning" as const), text: word, providerMetadata: foreign }),
  fc.constant<Block>({ type: "reasoning", text: "", redacted: true, providerMetadata: { anthropic: { data: "x" } } }),
  fc.record({ type: fc.constant("citation" as const), source: fc.constant({ url: "https://x.test" }), text: word }),
  fc.constant<Block>({ type: "provider", provider: "anthropic", value: { type: "server_tool_use" } }),
  fc.record({ type: fc.constant("refusal" as const), text: word }),
);
/** Ids as other providers make them. */
const callId = fc.stringMatching(/^[a-zA-Z0-9_|:.+/=-]{1,90}$/);

/** One turn: somebody speaks, the model answers, perhaps with calls, and the calls are answered. */
const turn: fc.Arbitrary<readonly Message[]> = fc
  .record({
    user: fc.array(fc.oneof(said, medium), { maxLength: 3 }),
    answer: fc.array(fc.oneof(said, thought, medium), { maxLength: 3 }),
    ids: fc.uniqueArray(callId, { maxLength: 3 }),
    result: fc.array(fc.oneof(said, medium), { maxLength: 2 }),
    args: fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 }),
    metadata: foreign,
  })
  .map(({ user, answer, ids, result, args, metadata }): readonly Message[] => {
    const calls = ids.map(
      (id): Block => ({ type: "tool_call", id, name: "look", args: args as never, providerMetadata: metadata }),
    );
    return [
      userMessage(user),
      { ...assistantMessage([...answer, ...calls]), providerMetadata: metadata },
      ...ids.map((id) => toolMessage({ id, name: "look" }, result)),
    ];
  });

interface WireMessage {
  readonly role: string;
  readonly content: string;
  readonly images?: readonly string[];
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: object };
  }[];
}

describe("a history that other providers made", () => {
  it(
    "is what Ollama takes: texts, paired calls, images apart, nothing foreign (PA-14, PA-26, PA-27)",
    PATIENT,
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 4 }), async (turns) => {
          const { fetch, sent } = answering({ lines: [lastLine()] });
          await ask({ fetch }, [systemMessage("Rules."), ...turns.flat(), userMessage("And?")]);
          const messages = sent[0]?.body.messages as unknown as readonly WireMessage[];
          expect(messages.map(problemIn).filter((problem) => problem !== undefined)).toEqual([]);
          expect(pairsIn(messages)).toBe(true);
          expect(JSON.stringify(sent[0]?.body)).not.toMatch(/server_tool_use|file-1|BBBB/);
        }),
        { numRuns: 400, seed: 27 },
      );
    },
  );
});

/** What a server, or a reader, could object to in a message. */
function problemIn({
  role,
  content,
  images,
  tool_calls: calls = [],
  tool_name: tool,
}: WireMessage): string | undefined {
  if (!["system", "user", "assistant", "tool"].includes(role)) return `the role ${role}`;
  if (typeof content !== "string" || content.includes("AAAA")) return `the content ${JSON.stringify(content)}`;
  if (role === "tool") return tool === "look" ? undefined : "a result of no tool";
  if (content.trim() === "" && images === undefined && calls.length === 0) return "nothing in it";
  const odd = calls.find(({ function: { name, arguments: args } }) => name !== "look" || !isJsonObject(args));
  return odd === undefined ? undefined : `the call ${JSON.stringify(odd)}`;
}

/** Whether each batch of calls is followed by its results, in its order. */
function pairsIn(messages: readonly WireMessage[]): boolean {
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const answered = messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
  const inPlace = messages.every(
    ({ role }, at) =>
      role !== "tool" || messages[at - 1]?.role === "tool" || messages[at - 1]?.tool_calls !== undefined,
  );
  return inPlace && JSON.stringify(ids) === JSON.stringify(answered);
}
