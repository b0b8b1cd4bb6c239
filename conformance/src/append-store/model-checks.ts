import { type AppendStore, isTinyAgentsError, type JsonValue } from "@tinyagents/core";
import { assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { type Chance, chance } from "../store/chance.js";
import type { AppendStoreUnderTest } from "./subject.js";
import { topic } from "./suite.js";

interface Modelled {
  head: number;
  records: { readonly offset: number; readonly value: JsonValue }[];
  readonly byKey: Map<string, { readonly offset: number; readonly text: string }>;
}

const RUNS = 12;
const STEPS = 30;
const STREAMS = ["s", "s/1", "__proto__"];
const model = topic("everything together");

/** What an append must give: an offset, or a code. */
function appendTo(
  stream: Modelled,
  values: readonly JsonValue[],
  key: string | undefined,
  expected: number | undefined,
): number | string {
  const earlier = key === undefined ? undefined : stream.byKey.get(key);
  if (earlier !== undefined) return earlier.text === JSON.stringify(values) ? earlier.offset : "invalid_request";
  if (expected !== undefined && expected !== stream.head) return "conflict";
  const offset = stream.head;
  for (const value of values) stream.records.push({ offset: stream.head++, value });
  if (key !== undefined) stream.byKey.set(key, { offset, text: JSON.stringify(values) });
  return offset;
}

/** Does one thing, to the log and to the model. */
async function act(log: AppendStore, logs: Map<string, Modelled>, by: Chance, where: string): Promise<void> {
  const name = by.pick(STREAMS);
  const stream = logs.get(name) ?? { head: 0, records: [], byKey: new Map() };
  const what = by.below(8);
  if (what === 0) {
    assertEqual(await log.delete(name), logs.delete(name), `${where}: deleting`);
  } else if (what === 1) {
    const before = by.below(10);
    await log.truncate(name, { before });
    stream.records = stream.records.filter(({ offset }) => offset >= before);
  } else {
    const values = Array.from({ length: 1 + by.below(3) }, () => by.below(3));
    const idempotencyKey = by.pick([undefined, undefined, "k1", "k2"]);
    const expectedOffset = by.pick([undefined, stream.head, stream.head, stream.head + 1]);
    const outcome = await log.append(name, values, { expectedOffset, idempotencyKey }).catch(toCode);
    assertEqual(outcome, appendTo(stream, values, idempotencyKey, expectedOffset), `${where}: appending`);
    if (stream.head > 0) logs.set(name, stream);
  }
}

function toCode(error: unknown): string {
  return isTinyAgentsError(error) ? error.code : String(error);
}

async function compare(
  log: AppendStore,
  logs: ReadonlyMap<string, Modelled>,
  by: Chance,
  where: string,
): Promise<void> {
  assertEqual(await log.streams(), [...logs.keys()].sort(), `${where}: the streams`);
  for (const [name, { head, records }] of logs) {
    const from = by.below(12);
    const limit = 1 + by.below(5);
    assertEqual(await log.head(name), head, `${where}: the head of ${name}`);
    assertEqual(await log.read(name), records, `${where}: the records of ${name}`);
    const forward = records.filter(({ offset }) => offset >= from).slice(0, limit);
    assertEqual(await log.read(name, { from, limit }), forward, `${where}: ${limit} of ${name} from ${from}`);
    const backward = records
      .filter(({ offset }) => offset <= from)
      .reverse()
      .slice(0, limit);
    const found = await log.read(name, { from, limit, order: "descending" });
    assertEqual(found, backward, `${where}: ${limit} of ${name} backward from ${from}`);
  }
}

/** Long mixed sequences of operations, compared with plain lists. */
export const modelChecks: readonly Check<AppendStoreUnderTest>[] = [
  model("behaves like plain lists of numbered records under any sequence of operations", async ({ log }) => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const by = chance(seed);
      const logs = new Map<string, Modelled>();
      for (let step = 0; step < STEPS; step++) {
        const where = `run ${seed}, step ${step}`;
        await act(log, logs, by, where);
        if (step % 6 === 5) await compare(log, logs, by, where);
      }
      for (const name of logs.keys()) await log.delete(name);
    }
  }),
];
