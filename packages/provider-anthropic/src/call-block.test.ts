import type { JsonObject } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { args, block, call, deltasOf, end, read, start } from "../test/events.js";

describe("tool calls in a stream", () => {
  async function callsOf(events: readonly JsonObject[]): Promise<unknown> {
    const { message } = await read([start(), ...events, ...end("tool_use")]);
    return message.content.map((one) =>
      one.type === "tool_call" ? [one.id, one.name, one.invalid?.raw ?? one.args] : one,
    );
  }

  it("are told apart when all say index 0 (PA-01)", async () => {
    const calls = await callsOf([...call(0, "a", "one", '{"x":', "1}"), ...call(0, "b", "two", '{"y":2}')]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("may have only the indexes 1 and 5, and may interleave (PA-01)", async () => {
    const opened = (index: number, id: string, name: string): JsonObject => ({
      type: "content_block_start",
      index,
      content_block: { type: "tool_use", id, name, input: {} },
    });
    const more = (index: number, piece: string): JsonObject => ({
      type: "content_block_delta",
      index,
      delta: args(piece),
    });
    const calls = await callsOf([
      opened(1, "a", "one"),
      opened(5, "b", "two"),
      more(5, '{"y":'),
      more(1, '{"x":'),
      more(1, "1}"),
      more(5, "2}"),
      { type: "content_block_stop", index: 1 },
      { type: "content_block_stop", index: 5 },
    ]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("may have no index at all: a fragment goes on with the newest block (PA-01)", async () => {
    const bare = [...call(0, "a", "one", '{"x":', "1}"), ...call(0, "b", "two", "{}")].map(
      ({ index: _, ...event }) => event,
    );
    expect(await callsOf(bare)).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", {}],
    ]);
  });

  it("are gone on with by fragments alone that have no index, or a wrong one (PA-01)", async () => {
    const fragmentsOf = (events: JsonObject[], index?: number): JsonObject[] =>
      events.map(({ index: at, ...event }) =>
        event.type === "content_block_delta"
          ? { ...event, ...(index === undefined ? {} : { index }) }
          : { ...event, index: at as number },
      );
    const calls = await callsOf([
      ...fragmentsOf(call(0, "a", "one", '{"x":', "1}")),
      ...fragmentsOf(call(1, "b", "two", '{"y":', "2}"), 7),
    ]);
    expect(calls).toEqual([
      ["a", "one", { x: 1 }],
      ["b", "two", { y: 2 }],
    ]);
  });

  it("without ids get some", async () => {
    expect(await callsOf([...call(0, "", "one", "{}"), ...call(1, "", "two", "{}")])).toEqual([
      ["msg_1_0", "one", {}],
      ["msg_1_1", "two", {}],
    ]);
  });

  it("have all their arguments when the first fragment parses by itself (PA-02)", async () => {
    expect(await callsOf(call(0, "a", "one", "1", "2"))).toEqual([["a", "one", "12"]]);
  });

  it("end where their block does, or with the stream where its end is left out (PA-02)", async () => {
    const [opened, fragment] = call(0, "a", "one", '{"x":1}') as [JsonObject, JsonObject];
    const deltas = deltasOf([start(), opened, fragment, ...end("tool_use")]);
    expect(deltas.map(({ type }) => type)).toEqual([
      "start",
      "tool_call_start",
      "tool_call_args",
      "tool_call_end",
      "finish",
    ]);
  });

  it("without arguments are called with an empty object (PA-03)", async () => {
    expect(await callsOf([...call(0, "a", "one"), ...call(1, "b", "two", "", " ")])).toEqual([
      ["a", "one", {}],
      ["b", "two", {}],
    ]);
  });

  it("that have arguments in the first frame and in fragments are called with the fragments", async () => {
    const both = block(0, { type: "tool_use", id: "a", name: "one", input: { x: 1 } }, args('{"x":'), args("1}"));
    expect(await callsOf(both)).toEqual([["a", "one", { x: 1 }]]);
  });

  it("may have their arguments in the first frame", async () => {
    const whole = block(0, { type: "tool_use", id: "a", name: "one", input: { x: 1 } });
    expect(await callsOf(whole)).toEqual([["a", "one", { x: 1 }]]);
  });

  it("whose arguments are broken are kept as invalid, with their text (PA-04, MSG-05)", async () => {
    const { message } = await read([start(), ...call(0, "a", "one", '{"x":'), ...end("max_tokens")]);
    expect(message.content[0]).toMatchObject({ type: "tool_call", args: {}, invalid: { raw: '{"x":' } });
  });

  it("keep fields of the server's own, such as who called", async () => {
    const caller = { type: "code_execution_20260120", tool_id: "srvtoolu_1" };
    const { message } = await read([
      start(),
      ...block(0, { type: "tool_use", id: "a", name: "one", input: {}, caller }),
      ...end("tool_use"),
    ]);
    expect(message.content[0]?.providerMetadata).toEqual({ anthropic: { caller } });
  });
});
