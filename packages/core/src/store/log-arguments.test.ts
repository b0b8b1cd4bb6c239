import { describe, expect, test } from "vitest";
import { checkRepeatedAppend, readAppend, readReadRange, readTruncate } from "./log-arguments.js";

describe("what calls of a log are given", () => {
  test("is copied, so that later changes reach nobody", () => {
    const value = { list: [1] };
    const append = readAppend("s", [value], { expectedOffset: 0, idempotencyKey: "k" });
    value.list.push(2);
    expect(append).toEqual({ stream: "s", values: [{ list: [1] }], expectedOffset: 0, idempotencyKey: "k" });
  });

  test.each([
    [() => readAppend("", [1]), "stream:"],
    [() => readAppend("s", []), "values:"],
    [() => readAppend("s", [{ deep: [1, () => 1] as never }]), "values[0].deep[1]:"],
    [() => readAppend("s", [1], { idempotencyKey: "" }), "idempotencyKey:"],
    [() => readAppend("s", [1], { expectedOffset: -1 }), "expectedOffset:"],
    [() => readReadRange({ limit: 0 }), "limit:"],
    [() => readReadRange({ from: 0.5 }), "from:"],
    [() => readReadRange({ order: "up" as never }), "order:"],
    [() => readReadRange({ before: 1 } as never), "range.before:"],
    [() => readTruncate({} as never), "before:"],
  ])("is refused where it cannot be, with its place: %#", (work, place) => {
    expect(work).toThrow(expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(place) }));
  });

  test("repeats what was appended under a key, whatever the order of its keys", () => {
    const append = readAppend("s", [{ a: 1, b: 2 }], { idempotencyKey: "k" });
    checkRepeatedAppend(append, [{ b: 2, a: 1 }]);
    expect(() => checkRepeatedAppend(append, [{ a: 1 }])).toThrow('"k" was used in stream "s" with other values');
  });
});
