import { type ChatModelSubject, type ScenarioName, scenarios } from "@tinyagents/conformance";
import { chatModelConformance } from "@tinyagents/conformance/vitest";
import { type ChatModel, type Clock, manualClock, text } from "@tinyagents/core";
import { type MockReply, type MockRule, mockModel } from "../src/index.js";

const NO_SERVER = "it runs in this process: there is no server and no connection that could fail";
const OWN_WORDS = "its rules give texts and tool calls, nothing else";

const cannot: ChatModelSubject["cannot"] = {
  reasoning_text: "its profile says that it does not reason",
  usage: "its numbers are its own estimates, and say so",
  tool_call_malformed: "its arguments are values, so their text is always whole",
  usage_charged: "it costs nothing",
  usage_classes: "it has no cache and does not reason",
  finish_length: "only a request's maxOutputTokens cuts its answers",
  finish_content_filter: OWN_WORDS,
  refusal: OWN_WORDS,
  metadata: OWN_WORDS,
  ...Object.fromEntries(
    (Object.keys(scenarios) as ScenarioName[])
      .filter((name) => name.startsWith("error_") || name === "cut" || name === "early_end")
      .map((name) => [name, NO_SERVER]),
  ),
};

/** Plays a scenario's answer by a rule of the application's own; everything else is the model's own doing. */
function playing(name: ScenarioName): MockRule {
  const { answer, manner } = scenarios[name];
  if (manner === "echo") return ({ messages }) => ({ type: "answer", text: text(messages.at(-1) ?? { content: [] }) });
  const reply: MockReply =
    answer?.toolCalls === undefined
      ? { type: "answer", text: answer?.text ?? "Never seen." }
      : {
          type: "calls",
          text: answer.text ?? "",
          calls: answer.toolCalls.map(({ id, name: tool, args }) => ({
            id,
            name: tool,
            args: args === "" ? {} : JSON.parse(args),
          })),
        };
  return () => reply;
}

/** Time that passes at once for the first so many pauses, and then stands still. */
function stopping(pauses: number): Clock {
  const clock = manualClock();
  let left = pauses;
  return { ...clock, sleep: (delayMs, signal) => (left-- > 0 ? Promise.resolve() : clock.sleep(delayMs, signal)) };
}

const subject: ChatModelSubject = {
  name: "provider-mock",
  cannot,
  create: ({ scenario }) => {
    const { manner } = scenarios[scenario];
    const pauses = manner === "stall" ? 1 : manner === "silence" ? 0 : Number.POSITIVE_INFINITY;
    // Each call has time of its own.
    const fresh = (): ChatModel => mockModel({ rules: [playing(scenario)], delayMs: 1, clock: stopping(pauses) });
    return { ...fresh(), stream: (request, call) => fresh().stream(request, call) };
  },
};

chatModelConformance(subject);
