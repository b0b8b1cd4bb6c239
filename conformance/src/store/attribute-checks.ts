import type { JsonPrimitive, StoreAttributes } from "@tinyagents/core";
import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { DELICATE_TEXTS } from "./hostile.js";
import type { StoreUnderTest } from "./subject.js";
import { keysOf, text, topic } from "./suite.js";

/** What every store takes, see `StoreAttributes`. */
const MOST = 64;
const LONGEST_NAME = 256;
const LONGEST_TEXT = 1_024;

/** Numbers that lose something in fewer digits, in whole numbers or in decimals, and what only looks like them. */
const DELICATE_SCALARS: readonly JsonPrimitive[] = [
  ...DELICATE_TEXTS,
  null,
  true,
  "true",
  false,
  0,
  "0",
  12,
  5e-324,
  -5e-324,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_SAFE_INTEGER - 1,
  2 ** 63,
  0.3,
  0.1 + 0.2,
];

const attributes = topic("attributes");

/** Texts of one length that differ at their end. */
function long(length: number, end: string): string {
  return "\u00e9".repeat(length - end.length) + end;
}

/** As many attributes as every store takes, each as long as it takes. */
function mostAttributes(of: string): StoreAttributes {
  const all = Array.from({ length: MOST }, (_, index) => [long(LONGEST_NAME, `${index}`), long(LONGEST_TEXT, of)]);
  return Object.fromEntries(all);
}

/** How much every store takes of the facts that records are selected by. */
export const attributeChecks: readonly Check<StoreUnderTest>[] = [
  attributes(
    `keeps ${MOST} attributes, with names of ${LONGEST_NAME} and texts of ${LONGEST_TEXT} characters, and selects by each and by all`,
    async ({ store }) => {
      for (const of of ["a", "b"]) await store.put([of], text(of), { attributes: mostAttributes(of) });
      assertEqual((await store.get(["a"]))?.attributes, mostAttributes("a"), "the attributes");
      const found = async (where: StoreAttributes): Promise<unknown> =>
        keysOf((await store.list({ prefix: [], where })).items);
      for (const [name, value] of Object.entries(mostAttributes("b")))
        assertEqual(await found({ [name]: value }), [["b"]], `what ${name} selects`);
      assertEqual(await found(mostAttributes("b")), [["b"]], "what all of them select");
      const another = { ...mostAttributes("b"), [long(LONGEST_NAME, "0")]: long(LONGEST_TEXT, "a") };
      assertEqual(await found(another), [], "what all of them select, one of another record");
    },
  ),
  attributes("keeps every text and number exactly, and tells each from all others", async ({ store }) => {
    for (const [index, value] of DELICATE_SCALARS.entries())
      await store.put([String(index)], text("x"), { attributes: { value } });
    for (const [index, value] of DELICATE_SCALARS.entries()) {
      const { items } = await store.list({ prefix: [], where: { value } });
      assertEqual(keysOf(items), [[String(index)]], `what ${JSON.stringify(value)} selects`);
      assertEqual(items[0]?.attributes, { value }, `the attributes with ${JSON.stringify(value)}`);
    }
  }),
];
