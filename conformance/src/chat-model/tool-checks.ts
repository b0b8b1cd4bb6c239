import { type ModelResponse, toolCalls } from "@tinyagents/core";
import { assert, assertEqual, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { answerCheck, type Delivery, refusesWithout, stream, TIME_TOOL, WEATHER_TOOL } from "./ask.js";
import { answerOf, callOf, type ScenarioName } from "./scenarios.js";
import type { ModelUnderTest, Situation } from "./subject.js";

const TOOLS = [WEATHER_TOOL, TIME_TOOL];

function toolCheck(
  name: string,
  scenario: ScenarioName,
  look: (response: ModelResponse, delivery: Delivery, situation: Situation) => void,
): Check<ModelUnderTest> {
  return answerCheck({ name, group: "tools", scenario, needs: "tools", request: { tools: TOOLS } }, look);
}

/** The calls of an answer without what is the provider's own. */
function callsOf({ message }: ModelResponse): unknown {
  return toolCalls(message).map(({ providerMetadata: _, ...call }) => call);
}

/** Tool calls. */
export const toolChecks: readonly Check<ModelUnderTest>[] = [
  toolCheck("gives a tool call with its id, name and arguments", "tool_call", (response, delivery, { requests }) => {
    const { id, name } = callOf("tool_call");
    assertEqual(callsOf(response), [{ type: "tool_call", id, name, args: { city: "Paris" } }], `calls (${delivery})`);
    const sent = requests().at(-1);
    if (sent !== undefined)
      assertIncludes(JSON.stringify(sent.body), WEATHER_TOOL.description, `the request (${delivery})`);
  }),
  toolCheck("gives a call without arguments an empty object", "tool_call_no_args", (response, delivery) => {
    const { id, name } = callOf("tool_call_no_args");
    assertEqual(callsOf(response), [{ type: "tool_call", id, name, args: {} }], `calls (${delivery})`);
  }),
  toolCheck("keeps broken arguments whole, as an invalid call", "tool_call_malformed", (response, delivery) => {
    const [call] = toolCalls(response.message);
    const { name, args: raw } = callOf("tool_call_malformed");
    assert(call !== undefined, `the call is gone (${delivery})`);
    assertEqual(call.name, name, `name (${delivery})`);
    assertEqual(call.args, {}, `args (${delivery})`);
    assertEqual(call.invalid?.raw, raw, `invalid.raw (${delivery})`);
    assert((call.invalid?.reason ?? "") !== "", `invalid.reason says nothing (${delivery})`);
  }),
  toolCheck("gives parallel calls in the model's order", "tool_calls_parallel", (response, delivery) => {
    const expected = answerOf("tool_calls_parallel").toolCalls?.map(({ id, name, args }) => ({
      type: "tool_call",
      id,
      name,
      args: JSON.parse(args) as unknown,
    }));
    assertEqual(callsOf(response), expected, `calls (${delivery})`);
  }),
  {
    name: "streams the arguments of a call as they come",
    group: "tools",
    needs: ["tool_call_streaming", "tool_call_pieces"],
    run: (subject) =>
      subject.within("tool_call_pieces", async ({ model }) => {
        const pieces: string[] = [];
        for await (const delta of stream(model, { tools: TOOLS })) {
          if (delta.type === "tool_call_args") pieces.push(delta.args);
        }
        assertEqual(pieces.join(""), callOf("tool_call_pieces").args, "the arguments");
        assert(pieces.length > 1, "the arguments came in one piece, though the server sent several");
      }),
    runWhenLacking: (subject) => refusesWithout(subject, "tool_call_streaming"),
  },
];
