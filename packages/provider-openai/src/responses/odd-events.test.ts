import { collect, isTinyAgentsError, type JsonObject, type ModelDelta, type ModelResponse } from "@tinyagents/core";
import fc from "fast-check";
import { APIError } from "openai";
import { describe, expect, it } from "vitest";
import { EventReader } from "./from-events.js";
import { readResponse } from "./from-response.js";

const CREATED = { type: "response.created", response: { id: "resp_1", model: "m-1" } };

function callItem(name: string, args: string, id = `fc_${name}`): JsonObject {
  return { type: "function_call", id, call_id: `call_${name}`, name, arguments: args };
}
function speech(text: string, id = "msg_1"): JsonObject {
  return { type: "message", id, role: "assistant", content: [{ type: "output_text", text, annotations: [] }] };
}
function added(item: JsonObject, output_index = 0): JsonObject {
  return { type: "response.output_item.added", output_index, item: { ...item, arguments: "" } };
}
function args(delta: string, item_id: string, output_index = 0): JsonObject {
  return { type: "response.function_call_arguments.delta", output_index, item_id, delta };
}
function done(item: JsonObject, output_index = 0): JsonObject {
  return { type: "response.output_item.done", output_index, item };
}
function completed(output: readonly JsonObject[] = [], more: JsonObject = {}): JsonObject {
  return { type: "response.completed", response: { id: "resp_1", status: "completed", output, ...more } };
}

function collected(deltas: readonly ModelDelta[]): Promise<ModelResponse> {
  async function* all(): AsyncGenerator<ModelDelta> {
    yield* deltas;
  }
  return collect(all(), { id: "openai/m", provider: "openai", model: "m" });
}
async function read(...events: JsonObject[]): Promise<ModelResponse> {
  const reader = new EventReader("openai", []);
  return collected([...events.flatMap((event) => reader.read(event)), ...reader.end()]);
}

/** Calls and texts of an answer, in a line each. */
async function gist(...events: JsonObject[]): Promise<readonly string[]> {
  const { message } = await read(CREATED, ...events);
  return message.content.map((block) => {
    if (block.type === "tool_call") return `${block.id} ${block.name} ${JSON.stringify(block.args)}`;
    return block.type === "text" || block.type === "reasoning" ? `${block.type} ${block.text}` : block.type;
  });
}

const A = callItem("a", '{"n":1}');
const B = callItem("b", '{"n":2}');
const BOTH = ['call_a a {"n":1}', 'call_b b {"n":2}'];

describe("the calls of an answer are those that were sent (PA-01)", () => {
  it.each<[string, JsonObject[]]>([
    [
      "one after the other at the same place",
      [added(A), args('{"n":1}', "fc_a"), done(A), added(B), args('{"n":2}', "fc_b"), done(B), completed([A, B])],
    ],
    [
      "both at once at the same place",
      [
        added(A),
        added(B),
        args('{"n":', "fc_a"),
        args('{"n":', "fc_b"),
        args("1}", "fc_a"),
        args("2}", "fc_b"),
        done(A),
        done(B),
        completed([A, B]),
      ],
    ],
    ["done one after the other at the same place, and never begun", [done(A), done(B), completed([A, B])]],
    ["at places with gaps", [added(A, 1), done(A, 1), added(B, 5), done(B, 5), completed([A, B])]],
    ["at a huge place, and below none", [added(A, -1), done(A, -1), done(B, 1e308), completed([A, B])]],
    ["begun twice", [added(A), added(A), args('{"n":1}', "fc_a"), done(A), done(B, 1), completed([A, B])]],
    ["done twice", [added(A), done(A), done(A), done(B, 1), done(B, 1), completed([A, B])]],
    ["done before they are begun", [done(A), added(A), done(B, 1), added(B, 1), completed([A, B])]],
    [
      "with arguments before they are begun",
      [args('{"n"', "fc_a"), added(A), args(":1}", "fc_a"), done({ ...A, arguments: "" }), done(B, 1), completed()],
    ],
    ["with arguments after they are done", [done(A), args('{"m":9}', "fc_a"), done(B, 1), completed([A, B])]],
    [
      "with arguments of items that nobody announced",
      [args("{", "fc_9", 7), done(A), done(B, 1), args("}", "fc_9", 7), completed([A, B])],
    ],
    ["told by the last event alone, in part", [added(A), args('{"n":1}', "fc_a"), completed([A, B])]],
    ["told by two last events", [done(A), done(B, 1), completed([A, B]), completed([A, B, callItem("c", "{}")])]],
    ["followed by others after the end", [done(A), done(B, 1), completed(), added(callItem("c", "{}"), 2)]],
  ])("%s", async (_, events) => {
    expect(await gist(...events)).toEqual(BOTH);
  });

  it("whose items have another id in every event", async () => {
    const as = (item: JsonObject, id: string) => ({ ...item, id });
    const events = [
      added(as(A, "a0")),
      added(as(A, "a1")),
      args('{"n":1}', "a2"),
      done(as(A, "a3")),
      added(as(B, "b1"), 1),
      args('{"n":2}', "b2", 1),
      done(as(B, "b3"), 1),
      completed([as(A, "a4"), as(B, "b4")]),
    ];
    expect(await gist(...events)).toEqual(BOTH);
  });

  it("and texts, whose items have other ids and are done in another order", async () => {
    const text = speech("Hi.", "msg_1");
    const events = [
      done(text, 1),
      done(A, 0),
      completed([
        { ...A, id: "a2" },
        { ...text, id: "msg_2" },
      ]),
    ];
    expect(await gist(...events)).toEqual(["text Hi.", BOTH[0]]);
  });

  it("beside an item that the last event alone tells of, and one that has the id of another", async () => {
    expect(await gist(done(A), completed([speech("Hi."), A]))).toEqual([BOTH[0], "text Hi."]);
    expect(await gist(done(A), done(speech("Hi.", "fc_a"), 1), completed())).toEqual([BOTH[0], "text Hi."]);
  });

  it("without ids and places", async () => {
    const bare = ({ id: _, ...item }: JsonObject): JsonObject => item as JsonObject;
    const events = [added(bare(A)), done(bare(A)), added(bare(B)), done(bare(B)), completed([bare(A), bare(B)])].map(
      ({ output_index: _, ...event }) => event as JsonObject,
    );
    expect(await gist(...events)).toEqual(BOTH);
  });

  it("also one that was never ended", async () => {
    expect(await gist(added(A), args('{"n":1}', "fc_a"), done(B, 1), completed())).toEqual(BOTH);
  });
});

describe("events that contradict each other", () => {
  it("leave an item what it was first", async () => {
    const thought = { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "Hm." };
    expect(await gist(added(A), thought, done(A), done(B, 1), completed([A, B]))).toEqual(BOTH);
    expect(await gist(thought, args("{}", "x"), done(A), completed([A]))).toEqual(["reasoning Hm.", BOTH[0]]);
  });

  it("add nothing to a text that is done", async () => {
    const more = {
      type: "response.output_text.delta",
      output_index: 0,
      item_id: "msg_1",
      content_index: 0,
      delta: "!",
    };
    const no = { type: "response.refusal.delta", output_index: 0, item_id: "msg_1", content_index: 1, delta: "No." };
    expect(await gist(done(speech("Hi.")), more, no, completed([speech("Hi.")]))).toEqual(["text Hi."]);
  });

  it("add nothing to a thought that is done", async () => {
    const thought = { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Hm." }] };
    const more = { type: "response.reasoning_summary_text.delta", output_index: 0, item_id: "rs", delta: "!" };
    expect(await gist(done(thought), more, completed([thought]))).toEqual(["reasoning Hm."]);
  });

  it("say how an answer ended by their type where they say it nowhere else", async () => {
    const { status: _, ...silent } = completed().response as JsonObject;
    const end = (type: string) => read({ type, response: silent as JsonObject });
    expect((await end("response.completed")).finishReason).toBe("stop");
    expect((await end("response.incomplete")).finishReason).toBe("other");
    await expect(end("response.failed")).rejects.toThrow(APIError);
  });
});

describe("what could reach an object's prototype (SE-04)", () => {
  const hostile = JSON.parse(
    '{"type":"message","id":"msg_1","__proto__":{"a":1},"content":[{"type":"output_text","text":"Hi.","x":{"__proto__":1}}]}',
  ) as JsonObject;

  it.each<[string, () => Promise<ModelResponse>]>([
    ["streamed", () => read(CREATED, done(hostile), completed([hostile]))],
    ["whole", () => collected(readResponse({ id: "r", status: "completed", output: [hostile] }, "openai", []))],
  ])("is left out of an item with a warning, and the rest stays: %s", async (_, answer) => {
    const { message, warnings } = await answer();
    expect(message.content).toEqual([
      { type: "text", text: "Hi.", providerMetadata: { openai: { item: { type: "message", id: "msg_1" } } } },
    ]);
    expect(warnings).toMatchObject([{ code: "malformed_data" }]);
    expect(JSON.stringify(message)).not.toContain("__proto__");
  });
});

describe("any events at all", () => {
  const real = [
    CREATED,
    { type: "response.reasoning_summary_text.delta", output_index: 0, item_id: "rs", summary_index: 0, delta: "Hm." },
    done({ type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: "x" }),
    added(speech("Hi."), 1),
    { type: "response.output_text.delta", output_index: 1, item_id: "msg_1", content_index: 0, delta: "Hi." },
    { type: "response.refusal.delta", output_index: 1, item_id: "msg_1", content_index: 1, delta: "No." },
    done(speech("Hi."), 1),
    added(A, 2),
    args('{"n":1}', "fc_a", 2),
    done(A, 2),
    done({ type: "web_search_call", id: "ws" }, 3),
    completed([speech("Hi."), A], { usage: { input_tokens: 1, output_tokens: 2 }, incomplete_details: null }),
  ];
  const junk = fc.oneof(
    fc.constantFrom(null, "", 0, -1, 0.5, 1e308, [], {}, true, "x", [null], [{ type: 1 }], { type: "function_call" }),
    fc.constant(real),
  );

  /** The same events with one field of one of them, however deep, something else. */
  const spoilt = fc.tuple(fc.nat(), fc.nat(), junk).map(([which, field, value]) => {
    const events = structuredClone(real) as JsonObject[];
    const fields: (() => void)[] = [];
    const visit = (holder: { [key: string]: unknown }): void => {
      for (const [key, inner] of Object.entries(holder)) {
        fields.push(() => {
          holder[key] = value;
        });
        if (typeof inner === "object" && inner !== null) visit(inner as { [key: string]: unknown });
      }
    };
    visit(events[which % events.length] as { [key: string]: unknown });
    fields[field % fields.length]?.();
    return events;
  });

  it.each<[string, fc.Arbitrary<JsonObject[]>]>([
    ["with a field that is something else", spoilt],
    ["in any order, with any of them twice", fc.array(fc.constantFrom(...(real as JsonObject[])), { maxLength: 30 })],
  ])("add up to an answer or to a named failure: %s (PA-20)", async (_, events) => {
    const property = fc.asyncProperty(events, async (list) => {
      const failure = await read(...list).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined || failure instanceof APIError) return;
      expect(isTinyAgentsError(failure) ? failure.code : failure).toBeOneOf(["network", "provider_server"]);
    });
    await fc.assert(property, { numRuns: 2_000 });
  });
});
