import { type Capability, type JsonSchema, type Support, text, toolCalls, toolText } from "@tinyagents/core";
import { fakeTool, type TestModelOptions } from "@tinyagents/testkit";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { failureOf } from "../support/failures.js";
import { call, calls, resultsOf, scriptedAgent } from "../support/tool-runs.js";

const place = z.object({ city: z.string(), celsius: z.number() });
const OSLO = { city: "Oslo", celsius: -3 };
const answer = JSON.stringify(OSLO);

/** A model that says this of itself, and nothing else. */
function model(capabilities: { readonly [C in Capability]?: Support }): TestModelOptions {
  return { profile: { capabilities } };
}

describe("a model that has a mechanism of its own", () => {
  test("is given the schema through it, and the answer is checked all the same (SO-01, SO-02)", async () => {
    const { run, model: asked } = scriptedAgent({ output: place, script: [answer] });
    const finished = await run();
    expect(finished.output).toEqual(OSLO);
    expect(asked.requests[0]?.responseFormat).toMatchObject({
      type: "json_schema",
      name: "final_answer",
      strict: true,
      schema: { type: "object", required: ["city", "celsius"] },
    });
    expect(asked.requests[0]?.tools).toBeUndefined();
    const wrong = scriptedAgent({ output: place, limits: { maxCorrections: 0 }, script: ['{"city":"Oslo"}'] });
    expect((await failureOf(wrong.run())).error.code).toBe("structured_output_invalid");
  });

  test("goes on calling tools first; the answer is looked at once there are no calls left (LOOP-11)", async () => {
    const look = fakeTool({ name: "look", result: "cold" });
    const { run, events } = scriptedAgent({
      tools: [look],
      output: place,
      script: [{ text: "not JSON yet", toolCalls: [call("look")] }, answer],
    });
    expect((await run()).output).toEqual(OSLO);
    expect(events.ofType("correction.requested")).toHaveLength(0);
    expect(events.ofType("output.validated").map(({ data }) => data)).toEqual([
      { strategy: "native", payload: { value: OSLO } },
    ]);
  });

  test("must say that it has one: asked for it by name it is refused before it is called (SO-02)", async () => {
    const { run, model: asked } = scriptedAgent({
      output: { schema: place, strategy: "native" },
      modelOptions: model({ structured_output: "no" }),
      script: [],
    });
    const { error } = await failureOf(run());
    expect(error).toMatchObject({ code: "capability_missing", details: { capabilities: ["structured_output"] } });
    expect(asked.requests).toHaveLength(0);
  });
});

describe("a model that only calls tools", () => {
  const onlyTools = model({ tools: "yes", tool_choice_named: "yes", tool_choice_required: "yes" });

  test("answers with a call that is no tool: its arguments are the answer, and nothing runs (SO-03)", async () => {
    const {
      run,
      model: asked,
      events,
    } = scriptedAgent({
      output: place,
      modelOptions: onlyTools,
      script: [{ text: "Here:", toolCalls: [call("final_answer", OSLO)] }],
    });
    const finished = await run();
    expect(finished.output).toEqual(OSLO);
    expect(asked.requests[0]).toMatchObject({
      tools: [{ name: "final_answer", inputSchema: { type: "object", required: ["city", "celsius"] } }],
      toolChoice: { type: "tool", name: "final_answer" },
    });
    expect(asked.requests[0]?.responseFormat).toBeUndefined();
    expect(events.types().filter((type) => type.startsWith("tool."))).toEqual([]);
    expect(finished.counters.toolCalls).toBe(0);
    expect(resultsOf(finished)).toMatchObject([{ toolCallId: "call_1", name: "final_answer", status: "ok" }]);
  });

  test("keeps the raw message beside the value (SO-07)", async () => {
    const { run } = scriptedAgent({
      output: place,
      modelOptions: onlyTools,
      script: [{ text: "Here:", toolCalls: [call("final_answer", OSLO)] }],
    });
    const finished = await run();
    const said = finished.messages[1];
    expect(finished.text).toBe("Here:");
    expect(said && text(said)).toBe("Here:");
    expect(said && toolCalls(said)).toMatchObject([{ name: "final_answer", args: OSLO }]);
  });

  test("is offered its tools too, and told to call one of them", async () => {
    const look = fakeTool({ name: "look" });
    const { run, model: asked } = scriptedAgent({
      tools: [look],
      output: place,
      modelOptions: onlyTools,
      script: [calls("look"), { toolCalls: [call("final_answer", OSLO)] }],
    });
    expect((await run()).output).toEqual(OSLO);
    expect(asked.requests[0]?.tools?.map(({ name }) => name)).toEqual(["look", "final_answer"]);
    expect(asked.requests[0]?.toolChoice).toBe("required");
    expect(look.calls).toHaveLength(1);
  });

  test("that answers and calls in one turn has answered: the calls do not run", async () => {
    const look = fakeTool({ name: "look" });
    const { run } = scriptedAgent({
      tools: [look],
      output: place,
      modelOptions: onlyTools,
      script: [{ toolCalls: [call("look"), call("final_answer", OSLO), call("final_answer", { city: "Rome" })] }],
    });
    const finished = await run();
    expect(finished.output).toEqual(OSLO);
    expect(look.calls).toHaveLength(0);
    expect(resultsOf(finished).map(({ status }) => status)).toEqual(["not_run", "ok", "not_run"]);
  });

  test("that answers in words instead is understood when the words are the answer, and else told what to do", async () => {
    const { run, model: asked } = scriptedAgent({
      output: place,
      modelOptions: onlyTools,
      script: ["It is cold.", answer],
    });
    expect((await run()).output).toEqual(OSLO);
    expect(text(asked.requests[1]?.messages.at(-1) as never)).toContain("call the tool final_answer");
  });

  test.each([
    [{ tools: "yes" } as const, "required"],
    [{ tools: "yes", tool_choice_required: "no" } as const, undefined],
  ])("is forced no further than its profile allows: %j", async (capabilities, toolChoice) => {
    const { run, model: asked } = scriptedAgent({
      output: place,
      modelOptions: model(capabilities),
      script: [{ toolCalls: [call("final_answer", OSLO)] }],
    });
    await run();
    expect(asked.requests[0]?.toolChoice).toBe(toolChoice);
  });

  test("may have the call under another name, which no tool may have", async () => {
    const output = { schema: place, strategy: "tool", name: "report" } as const;
    const { run } = scriptedAgent({ output, script: [{ toolCalls: [call("report", OSLO)] }] });
    expect((await run()).output).toEqual(OSLO);
    expect(() => scriptedAgent({ output, tools: [fakeTool({ name: "report" })], script: [] })).toThrow(/output\.name/);
  });
});

describe("a model that has neither", () => {
  test.each<[string, TestModelOptions]>([
    ["says no to both", model({ tools: "no", structured_output: "no" })],
    ["says nothing", model({})],
  ])("is asked in words, and JSON is found in its text: it %s (SO-04)", async (_, modelOptions) => {
    const { run, model: asked } = scriptedAgent({
      system: "Be brief.",
      output: place,
      modelOptions,
      script: [`Of course!\n\`\`\`json\n${answer}\n\`\`\`\nAnything else?`],
    });
    const finished = await run();
    expect(finished.output).toEqual(OSLO);
    expect(finished.text).toContain("Of course!");
    const [request] = asked.requests;
    expect(request).not.toHaveProperty("tools");
    expect(request).not.toHaveProperty("responseFormat");
    const system = text(request?.messages[0] as never);
    expect(system).toContain("Be brief.");
    expect(system).toContain('"celsius"');
  });

  test("is told when it gave no JSON, and its run does not crash (SO-04)", async () => {
    const { run, model: asked } = scriptedAgent({
      output: { schema: place, strategy: "prompt" },
      script: ["It is cold.", "{broken", answer],
    });
    expect((await run()).output).toEqual(OSLO);
    expect(text(asked.requests[1]?.messages.at(-1) as never)).toContain("it is no JSON");
  });
});

describe("a schema that is no object", () => {
  const list = z.array(z.number());

  test.each(["native", "tool", "prompt"] as const)(
    "is sent inside one, and comes back without it: %s",
    async (strategy) => {
      const { run, model: asked } = scriptedAgent({
        output: { schema: list, strategy },
        script: [strategy === "tool" ? { toolCalls: [call("final_answer", { value: [1, 2] })] } : '{"value":[1,2]}'],
      });
      expect((await run()).output).toEqual([1, 2]);
      const wire = JSON.stringify(asked.requests[0]).replaceAll("\\", "");
      expect(wire).toContain('"properties":{"value":{"type":"array"');
    },
  );

  test.each(["native", "prompt"] as const)("is understood when the model left the object out: %s", async (strategy) => {
    const { run } = scriptedAgent({ output: { schema: list, strategy }, script: ["Here: [1, 2]"] });
    expect((await run()).output).toEqual([1, 2]);
  });

  test("may be a scalar", async () => {
    const { run } = scriptedAgent({ output: z.enum(["yes", "no"]), script: ['{"value":"yes"}'] });
    expect((await run()).output).toBe("yes");
  });

  test("keeps its definitions, where references lead to them", async () => {
    interface Tree {
      readonly name: string;
      readonly children: readonly Tree[];
    }
    const tree: z.ZodType<Tree> = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const schema = z.array(tree);
    const { run, model: asked } = scriptedAgent({
      output: schema,
      script: ['{"value":[{"name":"a","children":[{"name":"b","children":[]}]}]}'],
    });
    await run();
    const { responseFormat } = asked.requests[0] ?? {};
    const wire = responseFormat?.type === "json_schema" ? responseFormat.schema : {};
    expect(danglingRefs(wire)).toEqual([]);
    expect(JSON.stringify(wire)).toContain('"$ref"');
  });

  test("that refers to its own root is sent with references to where it now stands", async () => {
    const schema: JsonSchema = {
      anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#" } }, { $ref: "#/anyOf/0" }],
    };
    const { run, model: asked } = scriptedAgent({ output: schema, script: ['{"value":["a",["b"]]}'] });
    expect((await run()).output).toEqual(["a", ["b"]]);
    const { responseFormat } = asked.requests[0] ?? {};
    const wire = responseFormat?.type === "json_schema" ? responseFormat.schema : {};
    expect(danglingRefs(wire)).toEqual([]);
    expect(wire).toMatchObject({
      properties: { value: { anyOf: [{}, { items: { $ref: "#/properties/value" } }, {}] } },
    });
  });
});

describe("a schema in JSON", () => {
  test("is checked by a validator (SO-05)", async () => {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;
    const { run, model: asked } = scriptedAgent({ output: schema, script: ['{"n":1.5}', '{"n":2}'] });
    expect((await run()).output).toEqual({ n: 2 });
    expect(text(asked.requests[1]?.messages.at(-1) as never)).toContain("- n: ");
  });

  test("that is wrong ends the run with an error that says so", async () => {
    const { run } = scriptedAgent({
      output: { type: "object", properties: { a: { $ref: "#/$defs/x" } } },
      script: ["{}"],
    });
    const { error } = await failureOf(run());
    expect(error.code).toBe("invalid_request");
    expect(error.message).toContain("schema of the structured answer");
  });

  test("may stand beside a schema that cannot say its own", async () => {
    const even = {
      "~standard": {
        version: 1 as const,
        vendor: "tests",
        validate: (value: unknown) =>
          (value as { n: number }).n % 2 === 0 ? { value: value as { n: number } } : { issues: [{ message: "odd" }] },
      },
    };
    const jsonSchema = { type: "object", properties: { n: { type: "number" } } } as const;
    const { run, model: asked } = scriptedAgent({
      output: { schema: even, jsonSchema },
      script: ['{"n":3}', '{"n":4}'],
    });
    expect((await run()).output).toEqual({ n: 4 });
    expect(asked.requests[0]?.responseFormat).toMatchObject({ schema: jsonSchema });
    expect(() => scriptedAgent({ output: even, script: [] })).toThrow(TypeError);
  });
});

/** References of a schema that lead nowhere. */
function danglingRefs(schema: JsonSchema): readonly string[] {
  const refs = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref ?? "");
  return refs.filter((ref) => {
    let at: unknown = schema;
    for (const step of ref.split("/").slice(1)) at = (at as { readonly [key: string]: unknown } | undefined)?.[step];
    return at === undefined;
  });
}

test("a forced answer has a result of its own in the history (LOOP-11)", async () => {
  const { run } = scriptedAgent({
    output: { schema: place, strategy: "tool" },
    script: [{ toolCalls: [call("final_answer", OSLO)] }],
  });
  expect(resultsOf(await run()).map(toolText)).toEqual(["The answer was received."]);
});
