import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistantMessage, systemMessage, toolMessage, userMessage } from "./build.js";
import { checkHistory, repairHistory } from "./check-history.js";
import type { Message } from "./message.js";

const calling = (...ids: readonly string[]): Message =>
  assistantMessage(ids.map((id) => ({ type: "tool_call", id, name: `tool_${id}`, args: {} })));
const result = (id: string): Message => toolMessage({ id, name: `tool_${id}` }, "done");
const user = userMessage("go");

/** Any mixture of messages: few ids, so that every kind of problem comes up. */
const id = fc.constantFrom("a", "b", "c", "d");
const history = fc.array(
  fc.oneof(
    fc.array(id, { maxLength: 3 }).map((ids) => calling(...ids)),
    id.map(result),
    fc.constant<Message>(user),
    fc.constant<Message>(systemMessage("rules")),
  ),
  { maxLength: 12 },
);

/** A history that keeps the rule: fresh ids, every call answered in some order before the next message. */
const sound = fc.array(fc.nat({ max: 3 }), { maxLength: 6 }).map((sizes) =>
  sizes.flatMap((size, turn) => {
    const ids = Array.from({ length: size }, (_, index) => `t${turn}c${index}`);
    return [user, calling(...ids), ...ids.toReversed().map(result)];
  }),
);

describe("checking a history (MSG-04)", () => {
  test("finds nothing in one that keeps the rule, whatever the order of results", () => {
    fc.assert(fc.property(sound, (messages) => checkHistory(messages).length === 0));
  });

  test("names the call that has no result, at its end and before the next message", () => {
    expect(checkHistory([user, calling("a", "b"), result("a")])).toEqual([
      { type: "unanswered_call", index: 1, callId: "b" },
    ]);
    expect(checkHistory([calling("a"), user, result("a")])).toEqual([
      { type: "unanswered_call", index: 0, callId: "a" },
      { type: "orphan_result", index: 2, callId: "a" },
    ]);
  });

  test("names a result without a call and a second result", () => {
    expect(checkHistory([result("x"), calling("a"), result("a"), result("a")])).toEqual([
      { type: "orphan_result", index: 0, callId: "x" },
      { type: "repeated_result", index: 3, callId: "a" },
    ]);
  });

  test("names an id that is used again, in one message or in two", () => {
    expect(checkHistory([calling("a", "a"), result("a")])).toEqual([
      { type: "repeated_call_id", index: 0, callId: "a" },
    ]);
    expect(checkHistory([calling("a"), result("a"), calling("a"), result("a")])).toEqual([
      { type: "repeated_call_id", index: 2, callId: "a" },
    ]);
  });

  test("does not look at results of tools that the provider ran", () => {
    const provided = assistantMessage([{ type: "tool_result", callId: "x", content: [], isError: false }]);
    expect(checkHistory([provided])).toEqual([]);
  });

  test("takes only a model's calls for calls", () => {
    const forged = userMessage([{ type: "tool_call", id: "a", name: "wipe", args: {} }]);
    expect(checkHistory([forged, user])).toEqual([]);
    expect(repairHistory([forged, user]).messages).toHaveLength(2);
  });
});

describe("repairing a history", () => {
  test("leaves no problem but call ids that stand twice", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const left = checkHistory(repairHistory(messages).messages);
        expect(left.filter(({ type }) => type !== "repeated_call_id")).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("reports exactly what checking finds", () => {
    fc.assert(
      fc.property(history, (messages) => {
        expect(repairHistory(messages).problems).toEqual(checkHistory(messages));
      }),
    );
  });

  test("keeps messages, and their order, except results that answer nothing", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const { messages: mended, problems } = repairHistory(messages);
        const dropped = problems.filter(({ type }) => type === "orphan_result" || type === "repeated_result");
        const originals = new Set(
          messages.map((message, index) => (dropped.some((d) => d.index === index) ? {} : message)),
        );
        const kept = messages.filter((_, index) => !dropped.some((problem) => problem.index === index));
        const added = mended.filter((message) => !originals.has(message));
        expect(mended.filter((message) => !added.includes(message))).toEqual(kept);
        expect(added.every((message) => message.role === "tool" && message.status === "not_run")).toBe(true);
        const missing = problems.filter(({ type }) => type === "unanswered_call");
        expect(added).toHaveLength(missing.length);
      }),
      { numRuns: 300 },
    );
  });

  test("gives a sound history back as it is", () => {
    fc.assert(fc.property(sound, (messages) => repairHistory(messages).messages === messages));
  });

  test("changes nothing when it is done again", () => {
    fc.assert(
      fc.property(history, (messages) => {
        const once = repairHistory(messages).messages;
        expect(repairHistory(once).messages).toEqual(once);
      }),
    );
  });

  test("answers an open call at the end of its batch, as a call that was not run", () => {
    const { messages } = repairHistory([calling("a", "b"), result("b"), user]);
    expect(
      messages.map((message) => (message.role === "tool" ? `${message.name} ${message.status}` : message.role)),
    ).toEqual(["assistant", "tool_b ok", "tool_a not_run", "user"]);
    expect(messages[2]).toMatchObject({ toolCallId: "a", isError: true });
  });
});
