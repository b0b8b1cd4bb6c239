import { createAgent } from "@tinyagents/harness";
import { scriptedModel } from "@tinyagents/testkit";
import { z } from "zod";

const Person = z.object({ name: z.string(), born: z.number().int() });
const PLACE = {
  type: "object",
  properties: { place: { type: "string", minLength: 1 }, visitors: { type: "integer" } },
  required: ["place", "visitors"],
};

/** Structured answers by a zod schema and by a JSON Schema; the second needs a correction. */
export async function structure() {
  const byZod = createAgent({
    name: "biographer",
    model: scriptedModel(['{"name":"Ada Lovelace","born":1815}']),
    output: Person,
  });
  const byJsonSchema = createAgent({
    name: "guide",
    model: scriptedModel(['{"place":"Tower","visitors":"many"}', '{"place":"Tower","visitors":2900000}']),
    output: PLACE,
  });
  const person = await byZod.invoke("Who wrote the first program?");
  const place = await byJsonSchema.invoke("What is worth a visit?");
  return { person: person.output, place: place.output, corrections: place.counters.corrections };
}
