import {
  type ChatModel,
  checkHistory,
  collect,
  type Message,
  resolvedModel,
  systemMessage,
  text,
  toolCalls,
  toolMessage,
  userMessage,
} from "@tinyagents/core";
import type { WireAnswer, WireServer } from "@tinyagents/testkit/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AnsweringProvider, providers } from "./providers.js";

const TOOLS = ["look", "find"].map((name) => ({
  name,
  description: "Looks.",
  inputSchema: { type: "object", properties: {} },
}));
const RUNS = 25;

/** A model before its server, which answers with whatever is put into its queue. */
interface Seat {
  readonly model: ChatModel;
  readonly queue: WireAnswer[];
  readonly server: WireServer;
}

async function seat(provider: AnsweringProvider): Promise<Seat> {
  const queue: WireAnswer[] = [];
  const server = await provider.serve(() => queue.shift() ?? { text: "Done." });
  return { model: provider.model({ baseUrl: server.url }), queue, server };
}

async function ask({ model }: Seat, messages: readonly Message[], delivery: "incremental" | "whole"): Promise<Message> {
  const deltas = model.stream({ messages, tools: TOOLS }, { signal: undefined, delivery });
  const { message } = await collect(deltas, resolvedModel(model));
  // As it is after it was stored.
  return JSON.parse(JSON.stringify(message)) as Message;
}

/** Lets a model say all of its answers, with a question before each, and results after its calls. */
async function converse(at: Seat, history: Message[], answers: readonly WireAnswer[]): Promise<void> {
  for (const [turn, answer] of answers.entries()) {
    at.queue.push(numbered(answer, history.length));
    history.push(userMessage(`Question ${history.length}.`));
    const message = renamed(await ask(at, history, turn % 2 === 0 ? "incremental" : "whole"), history);
    history.push(message);
    if (message.role !== "assistant") continue;
    for (const call of toolCalls(message)) {
      history.push(
        toolMessage(
          call,
          call.invalid === undefined ? "seen" : "no JSON",
          call.invalid === undefined ? "ok" : "invalid",
        ),
      );
    }
  }
}

/** Servers of real life do not use an item's id again. */
function numbered(answer: WireAnswer, turn: number): WireAnswer {
  if (answer.blocks === undefined) return answer;
  return { ...answer, blocks: answer.blocks.map((block) => ({ ...block, id: `${String(block.id)}_${turn}` })) };
}

/** As the agent loop keeps it: an id of a call that was there before is another one. */
function renamed(message: Message, history: readonly Message[]): Message {
  if (message.role !== "assistant") return message;
  const taken = new Set(history.flatMap((one) => (one.role === "assistant" ? toolCalls(one).map(({ id }) => id) : [])));
  const content = message.content.map((block) => {
    if (block.type !== "tool_call") return block;
    const id = taken.has(block.id) ? `${block.id}~${taken.size}` : block.id;
    taken.add(id);
    return { ...block, id };
  });
  return { ...message, content };
}

const pairs = providers.flatMap((from) => providers.filter((to) => to !== from).map((to) => [from, to] as const));

describe.each(pairs.map(([from, to]) => ({ from, to, name: `${from.name} → ${to.name}` })))(
  "a history of $name",
  ({ from, to }) => {
    it("is taken by the other provider, and by the first again afterwards (PA-27, PA-08, MSG-12)", async () => {
      const [here, there] = await Promise.all([seat(from), seat(to)]);
      const turns = fc.tuple(
        fc.array(from.answers, { minLength: 1, maxLength: 3 }),
        fc.array(to.answers, { minLength: 1, maxLength: 2 }),
      );
      try {
        await fc.assert(
          fc.asyncProperty(turns, async ([first, second]) => {
            here.queue.length = 0;
            there.queue.length = 0;
            const history: Message[] = [systemMessage("Be brief.")];
            await converse(here, history, first);
            await converse(there, history, second);
            expect(checkHistory(history)).toEqual([]);
            history.push(userMessage("Go on."));
            for (const at of [there, here]) {
              const end = await ask(at, history, "incremental");
              expect(end.role === "assistant" ? text(end) : "").toBe("Done.");
            }
          }),
          { numRuns: RUNS },
        );
        expect([...here.server.violations, ...there.server.violations]).toEqual([]);
      } finally {
        await Promise.all([here.server.close(), there.server.close()]);
      }
    }, 60_000);
  },
);
