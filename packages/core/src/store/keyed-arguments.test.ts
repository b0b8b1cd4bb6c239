import { describe, expect, test } from "vitest";
import { cursorAfter, readBatch, readDelete, readListQuery, readPut } from "./keyed-arguments.js";

const value = { type: "text", text: "x" } as const;

describe("what calls of a store are given", () => {
  test("is copied, so that later changes reach nobody", () => {
    const key = ["a"];
    const bytes = new Uint8Array([1]);
    const put = readPut(key, { type: "bytes", bytes }, { attributes: { a: 1 }, ifVersion: null }, { ttl: true });
    key.push("b");
    bytes[0] = 2;
    expect(put).toEqual({
      type: "put",
      key: ["a"],
      value: { type: "bytes", bytes: new Uint8Array([1]) },
      attributes: { a: 1 },
      ifVersion: null,
    });
  });

  test.each([
    [() => readPut([], value, {}, { ttl: true }), "key:"],
    [() => readPut(["a", ""], value, {}, { ttl: true }), "key[1]:"],
    [() => readPut(["a"], { type: "html" } as never, {}, { ttl: true }), "value:"],
    [() => readPut(["a"], value, { ttlMs: 1 }, { ttl: false }), "ttlMs:"],
    [() => readPut(["a"], value, { ttlMs: 0 }, { ttl: true }), "ttlMs:"],
    [() => readPut(["a"], value, { ifVersion: 1 as never }, { ttl: true }), "ifVersion:"],
    [() => readDelete(["a"], { ifVersion: 1 as never }), "ifVersion:"],
    [() => readBatch({} as never, { ttl: true }), "operations:"],
    [() => readBatch([{ type: "move" } as never], { ttl: true }), "operations:"],
    [() => readListQuery({ prefix: [], limit: 0 }), "limit:"],
    [() => readListQuery({ prefix: [], after: "x" } as never), "query.after:"],
    [() => readListQuery({ prefix: [], cursor: "not a cursor" }), "cursor:"],
    [() => readListQuery({ prefix: [], cursor: '["a",1]' }), "cursor:"],
  ])("is refused where it cannot be, with its place: %#", (work, place) => {
    expect(work).toThrow(expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(place) }));
  });

  test("goes on after the key of a cursor, whatever it is made of", () => {
    const key = ['"', "/", "\ud800", "__proto__"];
    expect(readListQuery({ prefix: [], cursor: cursorAfter(key) }).after).toEqual(key);
  });
});
