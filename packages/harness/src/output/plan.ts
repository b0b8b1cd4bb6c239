import {
  type AnyTool,
  isJsonObject,
  isStandardSchema,
  type JsonObject,
  type JsonSchema,
  type ModelProfile,
  type OutputState,
  type ResponseFormat,
  type StandardSchema,
  support,
  type ToolChoice,
  type ToolDeclaration,
  toJsonSchema,
} from "@tinyagents/core";
import type { AgentOptions, OutputSchema, OutputSpec } from "../options.js";
import { embed, variantsOf } from "./embed.js";

/** How a structured answer is asked for and checked, worked out once. */
export interface OutputPlan {
  readonly strategy: OutputState["strategy"];
  readonly name: string;
  /** The caller's schema, when it validates itself. */
  readonly standard: StandardSchema | undefined;
  /** What the model is shown: always an object. */
  readonly wireSchema: JsonSchema;
  /** What the answer must satisfy when `standard` is absent. */
  readonly schema: JsonSchema;
  /** A schema for each variant, when `schema` is a union. */
  readonly variants: readonly JsonSchema[] | undefined;
  /** The answer is under the key `value`, since providers only take schemas of objects. */
  readonly wrapped: boolean;
  readonly responseFormat: ResponseFormat | undefined;
  readonly tool: ToolDeclaration | undefined;
  readonly toolChoice: ToolChoice | undefined;
  /** Added to the instructions. */
  readonly instructions: string | undefined;
  readonly onInvalid: OutputSpec<JsonSchema>["onInvalid"];
}

type OutputOption = NonNullable<AgentOptions<OutputSchema | undefined>["output"]>;

/**
 * Works out how to get a structured answer from a model.
 * @throws TypeError for what is no schema, or when the name of the answer's tool is taken.
 */
export function planOutput(
  option: OutputOption,
  profile: ModelProfile,
  tools: ReadonlyMap<string, AnyTool>,
): OutputPlan {
  const spec = specOf(option);
  checkSpec(spec);
  const name = spec.name ?? "final_answer";
  const schema = spec.jsonSchema ?? toJsonSchema(spec.schema, "input", "createAgent: output");
  const wrapped = schema.type !== "object" || schema.anyOf !== undefined || schema.oneOf !== undefined;
  const wireSchema = wrapped ? inObject(schema) : schema;
  const wanted = spec.strategy ?? "auto";
  const strategy = wanted === "auto" ? bestStrategy(profile) : wanted;
  if (strategy === "tool" && tools.has(name)) {
    throw new TypeError(
      `createAgent: output: its tool "${name}" has the name of another tool; give it another: output.name`,
    );
  }
  const tool: ToolDeclaration | undefined =
    strategy === "tool"
      ? {
          name,
          description: "Gives the final answer. Call it once, when the answer is complete.",
          inputSchema: wireSchema,
        }
      : undefined;
  return {
    strategy,
    name,
    standard: isStandardSchema(spec.schema) ? spec.schema : undefined,
    wireSchema,
    schema,
    variants: variantsOf(schema),
    wrapped,
    responseFormat: strategy === "native" ? { type: "json_schema", name, schema: wireSchema, strict: true } : undefined,
    tool,
    toolChoice: tool === undefined ? undefined : forcedChoice(profile, name),
    instructions: strategy === "prompt" ? promptFor(wireSchema) : undefined,
    onInvalid: spec.onInvalid,
  };
}

function inObject(answer: JsonSchema): JsonSchema {
  const { schema, definitions } = embed(answer, "#/properties/value");
  return {
    type: "object",
    properties: { value: schema },
    required: ["value"],
    additionalProperties: false,
    ...definitions,
  };
}

/** A schema is told from a way to get an answer by what stands under `schema`: no schema has one there. */
function specOf(option: OutputOption): OutputSpec<OutputSchema> {
  if (isStandardSchema(option)) return { schema: option };
  const { schema } = option as { readonly schema?: unknown };
  const isSpec =
    isStandardSchema(schema) || isJsonObject(schema) || (Object.hasOwn(option, "schema") && schema === undefined);
  return isSpec ? (option as OutputSpec<OutputSchema>) : { schema: option as OutputSchema };
}

const STRATEGIES: { readonly [Strategy in NonNullable<OutputSpec<JsonSchema>["strategy"]>]: true } = {
  auto: true,
  native: true,
  tool: true,
  prompt: true,
};
/** What providers accept as the name of a tool or of a format. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function checkSpec({ schema, strategy = "auto", name, onInvalid }: OutputSpec<OutputSchema>): void {
  if (!isStandardSchema(schema) && !isJsonObject(schema)) throw wrong("", "a schema, or an object with a schema");
  if (!Object.hasOwn(STRATEGIES, strategy)) throw wrong(".strategy", `one of ${Object.keys(STRATEGIES).join(", ")}`);
  if (name !== undefined && !(typeof name === "string" && NAME.test(name))) {
    throw wrong(".name", "up to 64 letters, digits, _ and -");
  }
  const told = onInvalid === undefined || onInvalid === false;
  if (!told && typeof onInvalid !== "string" && typeof onInvalid !== "function") {
    throw wrong(".onInvalid", "false, a text or a function");
  }
}

function wrong(place: string, expected: string): TypeError {
  return new TypeError(`createAgent: output${place}: ${expected} is expected`);
}

/** Only a "yes" counts: a model that may not know a mechanism is asked in words. */
function bestStrategy(profile: ModelProfile): OutputPlan["strategy"] {
  if (support(profile, "structured_output") === "yes") return "native";
  return support(profile, "tools") === "yes" ? "tool" : "prompt";
}

function forcedChoice(profile: ModelProfile, name: string): ToolChoice | undefined {
  if (support(profile, "tool_choice_named") === "yes") return { type: "tool", name };
  return support(profile, "tool_choice_required") === "no" ? undefined : "required";
}

function promptFor(schema: JsonObject): string {
  return `When you give your final answer, write one JSON value and nothing else. It must satisfy this JSON Schema:\n${JSON.stringify(schema)}`;
}
