import type { ChatModel, JsonObject } from "@tinyagents/core";
import { anthropicModel } from "@tinyagents/provider-anthropic";
import { ollamaModel } from "@tinyagents/provider-ollama";
import { openaiModel } from "@tinyagents/provider-openai";
import {
  anthropicWireServer,
  ollamaWireServer,
  openaiWireServer,
  type WireAnswer,
  type WireEntries,
  type WireServer,
} from "@tinyagents/testkit/wire";
import fc from "fast-check";

/** A provider: its strict server, its adapter, and the ways in which its models answer. */
export interface Provider {
  readonly name: string;
  serve(script: WireEntries): Promise<WireServer>;
  model(url: string): ChatModel;
  /** Answers that this provider's rules allow. */
  readonly answers: fc.Arbitrary<WireAnswer>;
}

const apiKey = "portability-key-1";

/** Text as models write it: scripts, marks, space at either end, nothing but space. */
const text = fc.constantFrom("Hello.", "你好 👩‍👩‍👧 naïve", "  Let me look. \n", "\n", "a\u0000b", '{"a":1}');
const args = fc.constantFrom<JsonObject>({}, { at: "東京" }, { deep: { list: [1, null, "x"] } });

function calls(ids: fc.Arbitrary<string> | undefined, broken: boolean): fc.Arbitrary<WireAnswer["toolCalls"]> {
  const call = fc.record({ name: fc.constantFrom("look", "find"), args });
  const rawCall = fc.record({ name: fc.constant("look"), rawArgs: fc.constantFrom("", '{"at":', "[1]") });
  const one = broken ? fc.oneof({ weight: 3, arbitrary: call }, { weight: 1, arbitrary: rawCall }) : call;
  const several = fc.array(one, { maxLength: 3 });
  if (ids === undefined) return several;
  return fc
    .tuple(several, fc.uniqueArray(ids, { minLength: 3, maxLength: 3 }))
    .map(([list, names]) => list.map((call, at) => ({ ...call, id: names[at] ?? "" })));
}

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

/** The answer without what it does not have; one that says nothing says a word. */
function answer(parts: { readonly [K in keyof WireAnswer]?: fc.Arbitrary<WireAnswer[K]> }): fc.Arbitrary<WireAnswer> {
  return fc.record(parts as { readonly [key: string]: fc.Arbitrary<unknown> }).map((made) => {
    const said = Object.entries(made).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    );
    return said.length === 0 ? { text: "Hm." } : (Object.fromEntries(said) as WireAnswer);
  });
}

const openaiIds = fc.constantFrom("call_1", "call|2:a.b", `call_${"y".repeat(30)}`, "fc-4", "Ünïcode 5");
const thought = maybe(fc.constantFrom("I have to look.", "思考"));

const WEB_SEARCH = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } };

/** All providers, each API of OpenAI's by itself. */
export const providers: readonly Provider[] = [
  {
    name: "OpenAI, Chat Completions",
    serve: (script) => openaiWireServer(script),
    model: (baseUrl) => openaiModel("gpt-4o", { apiKey, baseUrl, api: "chat" }),
    answers: answer({
      reasoning: thought,
      text: maybe(text),
      refusal: maybe(fc.constant("I will not.")),
      toolCalls: calls(openaiIds, true),
    }),
  },
  {
    name: "OpenAI, Responses",
    serve: (script) => openaiWireServer(script),
    model: (baseUrl) => openaiModel("gpt-5", { apiKey, baseUrl, api: "responses" }),
    answers: answer({
      reasoning: thought,
      text: maybe(text),
      blocks: fc.subarray([WEB_SEARCH]),
      toolCalls: calls(openaiIds, true),
    }),
  },
  {
    name: "Anthropic",
    serve: (script) => anthropicWireServer(script),
    model: (baseUrl) => anthropicModel("claude-opus-5", { apiKey, baseUrl }),
    answers: answer({
      reasoning: thought,
      text: maybe(text),
      toolCalls: calls(fc.constantFrom("toolu_1", "toolu_2", "toolu_3", `toolu_${"x".repeat(50)}`), true),
    }),
  },
  {
    name: "Ollama",
    serve: (script) => ollamaWireServer(script),
    model: (baseUrl) =>
      ollamaModel("qwen3", {
        baseUrl,
        profile: { capabilities: { tools: "yes", reasoning: "yes", system_messages: "yes" } },
      }),
    answers: answer({ reasoning: thought, text: maybe(text), toolCalls: calls(undefined, false) }),
  },
];
