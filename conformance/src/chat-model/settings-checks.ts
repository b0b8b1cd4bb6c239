import {
  type Capability,
  isJsonObject,
  type JsonValue,
  type ModelRequest,
  type ModelResponse,
  userMessage,
} from "@tinyagents/core";
import { assert, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { ask, refusesWithout, TIME_TOOL, WEATHER_TOOL } from "./ask.js";
import { type ModelUnderTest, RECORDED_REQUESTS, type Situation } from "./subject.js";

const TOOLS = [WEATHER_TOOL, TIME_TOOL];

/** A request, what was sent for it, and what came of it. */
interface Sent {
  readonly body: string;
  readonly response: ModelResponse;
}

async function send({ model, requests }: Situation, request: Partial<ModelRequest>): Promise<Sent> {
  const response = await ask(model, request, { delivery: "whole" });
  return { body: JSON.stringify(sorted(requests().at(-1)?.body ?? null)), response };
}

/** The same data with its keys in order, so that texts can be compared. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, sorted(inner)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A setting reaches the provider, or the response says that it did not. */
function settingCheck(setting: keyof ModelRequest & string, value: Partial<ModelRequest>): Check<ModelUnderTest> {
  return {
    name: `honours ${setting}, or says with the response that it cannot`,
    group: "settings",
    needs: ["text", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("text", async (situation) => {
        const plain = await send(situation, {});
        const { body, response } = await send(situation, value);
        const told = response.warnings.some((warning) => warning.setting === setting);
        assert(body !== plain.body || told, `${setting} was left out, and no warning names it: ${body}`);
      }),
  };
}

function choiceCheck(
  capability: Extract<Capability, "tool_choice_required" | "tool_choice_named">,
  toolChoice: NonNullable<ModelRequest["toolChoice"]>,
): Check<ModelUnderTest> {
  return {
    name: `demands a tool where it is told to (${capability})`,
    group: "tools",
    needs: [capability, "tools", "tool_call", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("tool_call", async (situation) => {
        const free = await send(situation, { tools: TOOLS });
        const bound = await send(situation, { tools: TOOLS, toolChoice });
        assert(free.body !== bound.body, `toolChoice is not in the request: ${bound.body}`);
      }),
    runWhenLacking: (subject) => refusesWithout(subject, capability),
  };
}

/** Settings of a request. */
export const settingsChecks: readonly Check<ModelUnderTest>[] = [
  settingCheck("temperature", { temperature: 0.3 }),
  settingCheck("topP", { topP: 0.8 }),
  settingCheck("maxOutputTokens", { maxOutputTokens: 77 }),
  settingCheck("stopSequences", { stopSequences: ["END"] }),
  settingCheck("seed", { seed: 7 }),
  settingCheck("reasoningEffort", { reasoningEffort: "low" }),
  choiceCheck("tool_choice_required", "required"),
  choiceCheck("tool_choice_named", { type: "tool", name: "get_time" }),
  {
    name: "offers no tool to a request that forbids them, or tells the provider so",
    group: "tools",
    needs: ["tools", "text", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("text", async (situation) => {
        const free = await send(situation, { tools: TOOLS });
        const bound = await send(situation, { tools: TOOLS, toolChoice: "none" });
        assert(free.body !== bound.body, `toolChoice none is not in the request: ${bound.body}`);
      }),
  },
  {
    name: "asks for JSON where any JSON will do",
    group: "structured output",
    needs: ["json_mode", "structured", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("structured", async (situation) => {
        // Some providers want to hear of JSON in words, too.
        const messages = [userMessage("Answer in JSON.")];
        const plain = await send(situation, { messages });
        const json = await send(situation, { messages, responseFormat: { type: "json" } });
        assert(plain.body !== json.body, `responseFormat is not in the request: ${json.body}`);
      }),
    runWhenLacking: (subject) => refusesWithout(subject, "json_mode"),
  },
  {
    name: "has the answer's schema as arguments, where a tool call is to carry it",
    group: "structured output",
    needs: ["tools", "tool_call", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("tool_call", async (situation) => {
        const schema = { type: "object", properties: { celsius_as_asked: { type: "number" } } };
        const answer = { name: "final_answer", description: "Gives the answer.", inputSchema: schema };
        const { body } = await send(situation, { tools: [answer, WEATHER_TOOL] });
        assertIncludes(body, "celsius_as_asked", "the request");
        assertIncludes(body, "final_answer", "the request");
      }),
  },
];
