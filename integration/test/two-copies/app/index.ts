import { isTinyAgentsError, type JsonObject, type ModelDelta, TinyAgentsError, toolText } from "@tinyagents/core";
import manifest from "@tinyagents/core/package.json" with { type: "json" };
import { createAgent } from "@tinyagents/harness";
import * as toolbox from "../toolbox/index.js";

/** An application whose agents are made with one core, of parts that were made with another. */
const { lookUp, refuse, ask, end, watching, sink, ids } = toolbox;

function turn(...calls: readonly (readonly [id: string, name: string, args: JsonObject])[]): readonly ModelDelta[] {
  return [
    ...calls.map(
      ([id, name, args], index): ModelDelta => ({ type: "block", index, block: { type: "tool_call", id, name, args } }),
    ),
    { type: "finish", finishReason: "tool_calls" },
  ];
}

const clerk = (...turns: readonly (readonly ModelDelta[])[]) =>
  createAgent({
    name: "clerk",
    model: toolbox.model(turns),
    tools: [lookUp, refuse, ask, end],
    middleware: [watching],
    events: sink,
    ids,
    policies: { retry: { initialDelayMs: 0 } },
  });

const first = turn(
  ["a", "look_up", { order: 7 }],
  ["b", "look_up", { order: "seven" }],
  ["c", "refuse", {}],
  ["d", "ask", { question: "Now?" }],
);
const last = turn(["e", "end", {}]);
const paused = await clerk(first).invoke("Where is order 7?");
const ended = await clerk(last).resume(paused.state, { answers: { [paused.requests[0]?.id ?? ""]: "Yes." } });
const driven = await toolbox.drive(clerk(last), "That is all.");
const error = await clerk()
  .invoke("Hi", { limits: { maxRetries: 0 } })
  .catch((thrown: unknown) => thrown);

console.log(
  JSON.stringify({
    versions: [manifest.version, toolbox.version],
    paused: { status: paused.status, asked: paused.requests.map(({ type }) => type), retries: paused.counters.retries },
    ended: { status: ended.status, stop: ended.stop?.payload },
    results: ended.messages.flatMap((message) =>
      message.role === "tool" ? `${message.name} ${message.status}: ${toolText(message)}` : [],
    ),
    driven: driven.phase,
    sameClass: (toolbox.ErrorClass as unknown) === TinyAgentsError,
    className: toolbox.ErrorClass.name,
    error: isTinyAgentsError(error) ? error.code : String(error),
    seen: toolbox.seen,
  }),
);
