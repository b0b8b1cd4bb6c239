import type { Store, StoreOperation } from "@tinyagents/core";
import { assert, assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import type { StoreSituation, StoreUnderTest } from "./subject.js";
import { outcomeOf, text, textOf, topic } from "./suite.js";

const failures = topic("a backend that fails");

/** A call that does more physical writes than this never succeeds. */
const MOST_WRITES = 100;

const BATCH: readonly StoreOperation[] = [
  { type: "put", key: ["a"], value: text("new") },
  { type: "delete", key: ["b"] },
  { type: "put", key: ["c"], value: text("new"), options: { attributes: { of: "new" } } },
];

/**
 * Does a write on a new record set again and again, while its first physical write fails, its second, and so on, until
 * none is left to fail. After each, `look` is given what is there.
 */
async function failAtEach(
  on: StoreSituation,
  write: (store: Store) => Promise<unknown>,
  look: (found: readonly (string | undefined)[], where: string) => void,
): Promise<void> {
  let { store } = on;
  for (let after = 0; ; after++) {
    assert(after < MOST_WRITES, `a write does more than ${MOST_WRITES} physical writes`);
    const where = `physical write ${after} fails`;
    for (const name of ["a", "b"]) await store.put([name], text("old"));
    await store.delete(["c"]);
    on.failWrites({ after, count: 1 });
    const how = await write(store).then(outcomeOf, outcomeOf);
    on.failWrites({ after: 0, count: 0 });
    assert(how === "done" || how === "store_failed", `${where}: store_failed is expected, ${how} found`);
    const lookInto = async (): Promise<void> => {
      const found = await Promise.all(["a", "b", "c"].map(async (name) => textOf(await store.get([name]))));
      look(found, where);
      if (how === "done") assertEqual(found[0], "new", `${where}: what was acknowledged`);
    };
    await lookInto();
    store = (await on.reopen()).store;
    await lookInto();
    if (how === "done") return;
  }
}

/** What a failure of the backend leaves behind. Such failures are a full disk, a missing permission, a lost connection. */
export const failureChecks: readonly Check<StoreUnderTest>[] = [
  failures(
    "has a record as it was or as it was written when a write fails, says store_failed, and goes on",
    (on) =>
      failAtEach(
        on,
        (store) => store.put(["a"], text("new")),
        ([a, b], where) => {
          assert(a === "old" || a === "new", `${where}: the record is ${a}`);
          assertEqual(b, "old", `${where}: the record beside it`);
        },
      ),
    { needs: ["durable", "failures"] },
  ),
  failures(
    "does a batch whole or not at all when a write fails",
    (on) =>
      failAtEach(
        on,
        (store) => store.batch(BATCH),
        (found, where) => {
          const isOld = found[0] === "old";
          assertEqual(found, isOld ? ["old", "old", undefined] : ["new", undefined, "new"], `${where}: the records`);
        },
      ),
    { needs: ["durable", "atomicBatch", "failures"] },
  ),
];
