import {
  type Capability,
  type ChatModel,
  collect,
  type Message,
  type ModelCallContext,
  type ModelDelta,
  type ModelRequest,
  type ModelResponse,
  resolvedModel,
  userMessage,
} from "@tinyagents/core";
import { assertFails } from "../assert.js";
import type { Check } from "../check.js";
import type { ScenarioName } from "./scenarios.js";
import type { ModelUnderTest, Situation } from "./subject.js";

export type Delivery = ModelCallContext["delivery"];

export const BOTH: readonly Delivery[] = ["incremental", "whole"];

/** What is asked where it does not matter what. */
const QUESTION: readonly Message[] = [userMessage("Say hello.")];

export const WEATHER_TOOL = {
  name: "get_weather",
  description: "Tells the weather of a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
} as const;
export const TIME_TOOL = {
  name: "get_time",
  description: "Tells the time.",
  inputSchema: { type: "object", properties: {} },
} as const;

export function stream(
  model: ChatModel,
  request: Partial<ModelRequest> = {},
  call: Partial<ModelCallContext> = {},
): AsyncIterable<ModelDelta> {
  return model.stream({ messages: QUESTION, ...request }, { signal: undefined, delivery: "incremental", ...call });
}

export function ask(
  model: ChatModel,
  request: Partial<ModelRequest> = {},
  call: Partial<ModelCallContext> = {},
): Promise<ModelResponse> {
  return collect(stream(model, request, call), resolvedModel(model));
}

/** A check of the answer that a scenario gives, in both deliveries. */
export function answerCheck(
  fields: Pick<Check<ModelUnderTest>, "name" | "group"> & {
    readonly scenario: ScenarioName;
    readonly request?: Partial<ModelRequest>;
    readonly needs?: Capability;
  },
  look: (response: ModelResponse, delivery: Delivery, situation: Situation) => void | Promise<void>,
): Check<ModelUnderTest> {
  const { name, group, scenario, request, needs } = fields;
  return {
    name,
    group,
    needs: needs === undefined ? [scenario] : [needs, scenario],
    run: (subject) =>
      subject.within(scenario, async (situation) => {
        for (const delivery of BOTH) {
          await look(await ask(situation.model, request, { delivery }), delivery, situation);
        }
      }),
    ...(needs === undefined ? {} : { runWhenLacking: (subject) => refusesWithout(subject, needs) }),
  };
}

/** A request that names a capability as required is refused, where the profile does not affirm it. */
export function refusesWithout(subject: ModelUnderTest, capability: Capability): Promise<void> {
  return subject.within("text", async ({ model }) => {
    const work = ask(model, { requires: [capability] });
    await assertFails(work, "capability_missing", `a request that requires ${capability}`);
  });
}
