import { type ModelResponse, toolCalls } from "@tinyagents/core";
import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { ask, BOTH, TIME_TOOL, WEATHER_TOOL } from "./ask.js";
import { essence } from "./essence.js";
import { answerOf, type ScenarioName } from "./scenarios.js";
import type { ModelUnderTest } from "./subject.js";

const TOOLS = [WEATHER_TOOL, TIME_TOOL];

/** How often an answer is cut by chance. */
const SEEDS = 20;

function mixed(subject: ModelUnderTest, scenario: ScenarioName): Promise<unknown> {
  return subject.within(scenario, async ({ model }) => essence(await ask(model, { tools: TOOLS })));
}

/** What an answer says, without what the provider attached to it. */
function said({ message, finishReason, usage }: ModelResponse): unknown {
  return { content: message.content.map(({ providerMetadata: _, ...block }) => block), finishReason, usage };
}

/** Calls are told apart though their indexes are wrong. */
function indexCheck(name: string, scenario: ScenarioName): Check<ModelUnderTest> {
  return {
    name,
    group: "tools",
    needs: ["tools", scenario],
    run: (subject) =>
      subject.within(scenario, async ({ model }) => {
        const expected = answerOf(scenario).toolCalls?.map(({ id, name, args }) => [id, name, JSON.parse(args)]);
        for (const delivery of BOTH) {
          const { message } = await ask(model, { tools: TOOLS }, { delivery });
          const found = toolCalls(message).map((call) => [call.id, call.name, call.args]);
          assertEqual(found, expected, `calls (${delivery})`);
        }
      }),
  };
}

/** Answers that come in odd ways say the same. */
export const wireChecks: readonly Check<ModelUnderTest>[] = [
  {
    name: "gives the same response however it is cut into pieces",
    group: "streams",
    needs: ["tools", "mixed", "mixed_pieces", "mixed_bytes"],
    run: async (subject) => {
      const one = await mixed(subject, "mixed");
      assertEqual(await mixed(subject, "mixed_pieces"), one, "the response in pieces, against that in one");
      assertEqual(await mixed(subject, "mixed_bytes"), one, "the response byte by byte, against that in one");
    },
  },
  {
    name: "gives the same response wherever chance cuts its bytes",
    group: "streams",
    needs: ["tools", "mixed", "mixed_random"],
    run: async (subject) => {
      const one = await mixed(subject, "mixed");
      await subject.within("mixed_random", async ({ model }) => {
        for (let seed = 1; seed <= SEEDS; seed++) {
          const delivery = seed % 2 === 1 ? "incremental" : "whole";
          const cut = essence(await ask(model, { tools: TOOLS }, { delivery }));
          assertEqual(cut, one, `the response to request ${seed} (${delivery}), cut by chance, against that in one`);
        }
      });
    },
  },
  {
    name: "passes over frames and fields that it does not know",
    group: "streams",
    needs: ["tools", "mixed", "mixed_noise"],
    run: async (subject) => {
      const [plain, noisy] = await Promise.all(
        (["mixed", "mixed_noise"] as const).map((scenario) =>
          subject.within(scenario, async ({ model }) => said(await ask(model, { tools: TOOLS }))),
        ),
      );
      assertEqual(noisy, plain, "the response among unknown frames, against the plain one");
    },
  },
  indexCheck("tells calls apart whose frames have no index", "tool_calls_unindexed"),
  indexCheck("tells calls apart whose frames all have the same index", "tool_calls_one_index"),
];
