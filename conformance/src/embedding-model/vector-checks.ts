import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import { RECORDED_REQUESTS } from "../chat-model/subject.js";
import type { Check } from "../check.js";
import { scenarioDimensions, scenarioVector } from "./scenarios.js";
import { BATCH, type EmbeddingModelUnderTest, type EmbeddingNeed, type EmbeddingSituation } from "./subject.js";

const TEXTS = ["A river.", "A mountain.", "海", "A river.", "A road."];

function vectorCheck(
  name: string,
  run: (situation: EmbeddingSituation) => Promise<void>,
  ...needs: readonly EmbeddingNeed[]
): Check<EmbeddingModelUnderTest> {
  return { name, group: "vectors", needs: ["vectors", ...needs], run: (subject) => subject.within("vectors", run) };
}

/** What comes of texts. */
export const vectorChecks: readonly Check<EmbeddingModelUnderTest>[] = [
  vectorCheck("gives one vector for each text, in their order", async ({ model }) => {
    const { vectors, dimensions } = await model.embedDocuments(TEXTS);
    assertEqual(
      vectors,
      TEXTS.map((text) => scenarioVector(text)),
      "the vectors",
    );
    assertEqual(dimensions, scenarioDimensions, "dimensions");
  }),
  vectorCheck(
    "splits a list into the batches of its profile",
    async ({ model, requests }) => {
      await model.embedDocuments(TEXTS);
      assertEqual(model.profile.maxBatch, BATCH, "profile.maxBatch");
      assertEqual(requests().length, Math.ceil(TEXTS.length / BATCH), "requests");
    },
    RECORDED_REQUESTS,
  ),
  vectorCheck("adds up the tokens of all its requests", async ({ model }) => {
    const { usage } = await model.embedDocuments(TEXTS);
    const { inputTokens, outputTokens, source } = usage ?? {};
    const expected = { inputTokens: TEXTS.length, outputTokens: 0, source: "reported" };
    assertEqual({ inputTokens, outputTokens, source }, expected, "usage");
  }),
  vectorCheck("says which model gave them", async ({ model }) => {
    const { model: resolved } = await model.embedDocuments(["A river."]);
    assertEqual(resolved.id, model.id, "model.id");
    assert(resolved.model !== "" && resolved.provider !== "", "the model's identity is empty");
  }),
  vectorCheck("gives no vectors for no texts, and asks nobody", async ({ model, requests }) => {
    assertEqual((await model.embedDocuments([])).vectors, [], "vectors");
    assertEqual(requests().length, 0, "requests");
  }),
  vectorCheck("places a query in the same space", async ({ model }) => {
    const { vector, dimensions } = await model.embedQuery("Where is a river?");
    assertEqual([vector.length, dimensions], [scenarioDimensions, scenarioDimensions], "the query's dimensions");
    const all = vector.every((number) => Number.isFinite(number));
    assert(all, "a number of the query's vector is none");
  }),
  vectorCheck(
    "gives vectors of the length that is asked for",
    async ({ model }) => {
      const { vectors, dimensions } = await model.embedDocuments(["A river."], { dimensions: 2 });
      assertEqual(vectors, [scenarioVector("A river.", 2)], "the vectors");
      assertEqual(dimensions, 2, "dimensions");
    },
    "dimensions",
  ),
  vectorCheck(
    "passes the provider's options on, under its own settings",
    async ({ model, requests }) => {
      const { provider } = model.profile;
      await model.embedDocuments(["A river."]);
      // What a plain request has is what this API calls its settings: none of it may be overridden.
      const settings = Object.keys(requests()[0]?.body ?? {});
      const own = { ...Object.fromEntries(settings.map((name) => [name, "overridden"])), x_conformance: "passed on" };
      await model.embedDocuments(["A river."], { providerOptions: { [provider]: own, elsewhere: { x: "not mine" } } });
      const body = JSON.stringify(requests()[1]?.body);
      assertIncludes(body, "passed on", "the request");
      assert(!body.includes("overridden"), `an option of the provider overrode a setting: ${body}`);
      assert(!body.includes("not mine"), `the options of another provider were sent: ${body}`);
    },
    RECORDED_REQUESTS,
  ),
  vectorCheck("changes nothing in the list", async ({ model }) => {
    const texts = Object.freeze([...TEXTS]);
    await model.embedDocuments(texts);
    assertEqual(texts, TEXTS, "the texts after the call");
  }),
  {
    name: "fails with corrupt_data when a vector is missing, or is shorter than others",
    group: "vectors",
    needs: ["vectors_missing", "vectors_short"],
    async run(subject) {
      for (const scenario of ["vectors_missing", "vectors_short"] as const) {
        await subject.within(scenario, async ({ model }) => {
          await assertFails(model.embedDocuments(["A river.", "A road."]), "corrupt_data", scenario);
        });
      }
    },
  },
];
