import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Streams } from "./streams.js";

const newStream = () => ({ start: 0, values: [], byKey: new Map() });
const name = fc.string({ unit: fc.constantFrom("a", "b", "/", "\u{1F600}", "\uFFFF"), minLength: 1, maxLength: 3 });
const step = fc.oneof(
  fc.record({ type: fc.constant("add" as const), name }),
  fc.record({ type: fc.constant("delete" as const), name }),
  fc.record({
    type: fc.constant("names" as const),
    prefix: fc.oneof(fc.constant(""), name),
    after: fc.option(name, { nil: undefined }),
    limit: fc.integer({ min: 1, max: 5 }),
  }),
);

describe("the streams of a log in memory (STO-05)", () => {
  it("are listed as they would be if all were sorted each time, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const streams = new Streams();
        const there = new Set<string>();
        for (const one of steps) {
          if (one.type === "add") {
            if (!there.has(one.name)) streams.add(one.name, newStream());
            there.add(one.name);
          } else if (one.type === "delete") {
            expect(streams.delete(one.name)).toBe(there.delete(one.name));
            expect(streams.get(one.name)).toBeUndefined();
          } else {
            const { prefix, after = "", limit } = one;
            const sorted = [...there].filter((each) => each.startsWith(prefix) && each > after).sort();
            const query = { prefix, limit, ...(one.after === undefined ? {} : { after: one.after }) };
            expect(streams.names(query)).toEqual(sorted.slice(0, limit));
          }
        }
        for (const each of there) expect(streams.get(each)).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  it("are new when their name is used again", () => {
    const streams = new Streams();
    for (const each of ["a", "b", "c", "d"]) streams.add(each, newStream());
    const first = streams.get("a");
    streams.delete("a");
    streams.add("a", newStream());
    expect(streams.get("a")).not.toBe(first);
    expect(streams.names({ prefix: "", limit: 9 })).toEqual(["a", "b", "c", "d"]);
  });
});
