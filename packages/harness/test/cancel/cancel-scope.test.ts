import { TinyAgentsError } from "@tinyagents/core";
import { describe, expect, test } from "vitest";
import { CancelScope } from "../../src/run/cancel-scope.js";

const reason = () => new TinyAgentsError("cancelled", "Enough.", { details: {} });

/** A scope, and listeners that write their names down. */
function heard() {
  const names: string[] = [];
  return { names, listener: (name: string) => ({ onCancelled: () => void names.push(name) }) };
}

describe("a node of a run's tree of cancellation (CTX-06)", () => {
  test("tells its listeners once, the last one first", () => {
    const scope = new CancelScope();
    const { names, listener } = heard();
    for (const name of ["one", "two", "three"]) scope.listen(listener(name));
    scope.cancel(reason());
    scope.cancel(reason());
    expect(names).toEqual(["three", "two", "one"]);
  });

  test("tells nobody who has been taken away, whichever it was", () => {
    for (const left of [0, 1, 2]) {
      const scope = new CancelScope();
      const { names, listener } = heard();
      const listeners = ["one", "two", "three"].map(listener);
      for (const one of listeners) scope.listen(one);
      scope.unlisten(listeners[left] as (typeof listeners)[number]);
      scope.listen(listener("four"));
      scope.cancel(reason());
      expect(names).toEqual(["four", "three", "two", "one"].filter((name) => name !== ["one", "two", "three"][left]));
    }
  });

  test("is cancelled with the one above it, with the same reason, and not with one below", () => {
    const parent = new CancelScope();
    const child = new CancelScope(parent);
    const { signal } = child;
    const why = reason();
    new CancelScope(parent).cancel(reason());
    expect(child.reason).toBeUndefined();
    parent.cancel(why);
    expect([child.reason, signal.aborted, signal.reason]).toEqual([why, true, why]);
  });

  test("hears nothing more of the one above it once it is closed", () => {
    const parent = new CancelScope();
    const child = new CancelScope(parent);
    const { signal } = child;
    child.close();
    parent.cancel(reason());
    expect(signal.aborted).toBe(false);
  });

  test("tells a listener that comes late at once", () => {
    const scope = new CancelScope();
    const { names, listener } = heard();
    scope.cancel(reason());
    scope.listen(listener("late"));
    expect(names).toEqual(["late"]);
  });
});
