import type { Report } from "./program.js";

/** What the validators say of `{ order: "seven" }`: it tells which of them was there. */
const SAID = {
  ajv: "order: must be integer",
  cfworker: 'order: Instance type "string" is invalid. Expected "integer".',
} as const;

/** What the program has to report, whatever it ran on, but for the words of the validator that the platform has. */
export function expectedReport(validator: keyof typeof SAID): Report {
  return {
    tools: {
      status: "completed",
      text: "It is on its way.",
      results: [
        "add: 5",
        'get_weather: {"city":"Oslo","unit":"celsius","degrees":21}',
        "look_up: order 7 is on its way",
        "add invalid: b: Invalid input: expected number, received string",
        `look_up invalid: ${SAID[validator]}`,
        'look_up invalid: must have a property "order"',
      ],
      toolCalls: 6,
    },
    stream: {
      items: [
        "tool_call_start",
        "tool_call_args",
        "message",
        "tool_started",
        "tool_result",
        "text",
        "message",
        "final",
      ],
      inFragments: true,
      text: "6 * 7 = 42.",
      final: { text: "6 * 7 = 42.", status: "completed" },
    },
    output: {
      person: { name: "Ada Lovelace", born: 1815 },
      place: { place: "Tower", visitors: 2_900_000 },
      corrections: 1,
    },
    memory: { first: ["user"], second: ["user", "assistant", "user"], elsewhere: ["user"] },
    cancelled: {
      model: { code: "cancelled", results: [], call: "failed" },
      tool: { code: "cancelled", results: ["cancelled"], aborted: 1 },
      stream: { call: "failed" },
    },
    approval: {
      status: "paused",
      sentWhilePaused: [],
      approved: ["ok: sent to Grace"],
      twice: "resume_mismatch",
      denied: ["denied: The call was not approved: not today. It was not run."],
      sent: ["Grace"],
    },
  };
}
