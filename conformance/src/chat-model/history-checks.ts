import { type Message, toolCalls, toolMessage, userMessage } from "@tinyagents/core";
import { assert, assertFails, assertIncludes, CheckFailure } from "../assert.js";
import type { Check } from "../check.js";
import { ask, BOTH, TIME_TOOL, WEATHER_TOOL } from "./ask.js";
import { type ForeignHistory, foreignHistories } from "./histories.js";
import type { ScenarioName } from "./scenarios.js";
import { type ModelUnderTest, RECORDED_REQUESTS } from "./subject.js";

const TOOLS = [WEATHER_TOOL, TIME_TOOL];

/** A history goes through: it is sent in a form that the provider takes. */
function foreignCheck({ about, messages }: ForeignHistory): Check<ModelUnderTest> {
  return {
    name: `goes on from ${about}`,
    group: "history portability",
    needs: ["tools", "text"],
    run: (subject) =>
      subject.within("text", async ({ model, requests }) => {
        for (const delivery of BOTH) {
          await takes(() => ask(model, { messages: fitting(messages), tools: TOOLS }, { delivery }), about);
          const body = JSON.stringify(requests().at(-1)?.body ?? "And now?");
          assertIncludes(body, "And now?", `the request (${delivery})`);
        }
        function fitting(all: readonly Message[]): readonly Message[] {
          const { system_messages: system } = model.profile.capabilities;
          return system === "no" ? all.filter(({ role }) => role !== "system") : all;
        }
      }),
  };
}

async function takes(work: () => Promise<unknown>, about: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new CheckFailure(`a history with ${about} is not taken: ${said}`);
  }
}

/** An answer goes back to the provider that gave it, stored in between, with results for its calls. */
function replayCheck(name: string, scenario: ScenarioName, needs: readonly "reasoning"[]): Check<ModelUnderTest> {
  return {
    name,
    group: "history portability",
    needs: ["tools", ...needs, scenario],
    run: (subject) =>
      subject.within(scenario, async ({ model }) => {
        for (const delivery of BOTH) {
          const { message } = await ask(model, { tools: TOOLS }, { delivery });
          const stored = JSON.parse(JSON.stringify(message)) as typeof message;
          const results = toolCalls(stored).map((call) => toolMessage(call, "done"));
          const messages = [userMessage("Go on."), stored, ...results, userMessage("Go on.")];
          for (let turn = 1; turn <= 2; turn++) {
            await takes(() => ask(model, { messages, tools: TOOLS }, { delivery }), `an answer of ${scenario}`);
          }
        }
      }),
  };
}

/** Histories: the provider's own, and those that others left behind. */
export const historyChecks: readonly Check<ModelUnderTest>[] = [
  ...foreignHistories.map(foreignCheck),
  replayCheck("takes its own answer with calls back, twice", "mixed", []),
  replayCheck("takes its own thoughts back, twice", "reasoning_text", ["reasoning"]),
  replayCheck("takes its own broken call back, twice", "tool_call_malformed", []),
  {
    name: "never sends the arguments of a broken call as they were",
    group: "history portability",
    needs: ["tools", "text", RECORDED_REQUESTS],
    run: (subject) =>
      subject.within("text", async ({ model, requests }) => {
        const raw = '{"never":"sen';
        const call = { id: "call_1", name: "get_weather" };
        const broken = {
          ...call,
          type: "tool_call",
          args: {},
          invalid: { reason: "It ends too early.", raw },
        } as const;
        const messages = [
          userMessage("Go on."),
          { role: "assistant", content: [broken] } as const,
          toolMessage(call, "The arguments are no JSON.", "invalid"),
          userMessage("Again."),
        ];
        await ask(model, { messages, tools: TOOLS });
        const body = JSON.stringify(requests().at(-1)?.body);
        assert(!body.includes('never\\":') && !body.includes(raw), `the broken text is in the request: ${body}`);
        assertIncludes(body, "The arguments are no JSON.", "the request");
      }),
  },
  {
    name: "refuses a request without anything to say",
    group: "history portability",
    needs: ["text"],
    run: (subject) =>
      subject.within("text", async ({ model, requests }) => {
        await assertFails(ask(model, { messages: [] }), "invalid_request", "a request without messages");
        assert(requests().length === 0, "a request without messages was sent");
      }),
  },
];
