import { assert, assertEqual } from "../assert.js";
import type { Check } from "../check.js";
import { outcomeOf } from "../store/suite.js";
import type { AppendStoreUnderTest } from "./subject.js";
import { topic, valuesOf } from "./suite.js";

/** A call that does more physical writes than this never succeeds. */
const MOST_WRITES = 100;
const failures = topic("a backend that fails");

/** What a failure of the backend leaves behind. Such failures are a full disk, a missing permission, a lost connection. */
export const failureChecks: readonly Check<AppendStoreUnderTest>[] = [
  failures(
    "adds all values of an append or none when a write fails, says store_failed, and adds the rest once when it is repeated",
    async ({ log: first, failWrites, reopen }) => {
      let log = first;
      const expected: string[] = [];
      for (let after = 0, isDone = false; !isDone; after++) {
        assert(after < MOST_WRITES, `an append does more than ${MOST_WRITES} physical writes`);
        const where = `physical write ${after} fails`;
        const values = ["first", "second", "third"].map((one) => `${one} of ${after}`);
        const append = () => log.append("s", values, { idempotencyKey: `key ${after}` });
        failWrites({ after, count: 1 });
        const how = await append().then(outcomeOf, outcomeOf);
        failWrites({ after: 0, count: 0 });
        assert(how === "done" || how === "store_failed", `${where}: store_failed is expected, ${how} found`);
        const found = await valuesOf(log, "s");
        const isThere = found.length > expected.length;
        assertEqual(found, isThere ? [...expected, ...values] : expected, `${where}: the values`);
        if (how === "done") assert(isThere, `${where}: what was acknowledged is not there`);
        if (log.capabilities.durable) log = (await reopen()).log;
        assertEqual(await valuesOf(log, "s"), found, `${where}: the values when the place is opened again`);
        assertEqual(await append(), expected.length, `${where}: the offset of the same append again`);
        expected.push(...values);
        assertEqual(await valuesOf(log, "s"), expected, `${where}: the values after the same append again`);
        isDone = how === "done";
      }
    },
    { needs: ["durable", "failures"] },
  ),
];
