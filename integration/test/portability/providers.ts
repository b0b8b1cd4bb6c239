import type { JsonObject } from "@tinyagents/core";
import type { WireAnswer } from "@tinyagents/testkit/wire";
import fc from "fast-check";
import { PROVIDERS, type Provider } from "../support/providers.js";

/** A provider, and what its models may answer. */
export interface AnsweringProvider extends Provider {
  /** Answers that this provider's rules allow. */
  readonly answers: fc.Arbitrary<WireAnswer>;
}

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

const ANSWERS: { readonly [P in Provider["name"]]: fc.Arbitrary<WireAnswer> } = {
  "OpenAI, Chat Completions": answer({
    reasoning: thought,
    text: maybe(text),
    refusal: maybe(fc.constant("I will not.")),
    toolCalls: calls(openaiIds, true),
  }),
  "OpenAI, Responses": answer({
    reasoning: thought,
    text: maybe(text),
    blocks: fc.subarray([WEB_SEARCH]),
    toolCalls: calls(openaiIds, true),
  }),
  Anthropic: answer({
    reasoning: thought,
    text: maybe(text),
    toolCalls: calls(fc.constantFrom("toolu_1", "toolu_2", "toolu_3", `toolu_${"x".repeat(50)}`), true),
  }),
  Ollama: answer({ reasoning: thought, text: maybe(text), toolCalls: calls(undefined, false) }),
};

/** All providers, each API of OpenAI's by itself. */
export const providers: readonly AnsweringProvider[] = PROVIDERS.map((provider) => ({
  ...provider,
  answers: ANSWERS[provider.name],
}));
