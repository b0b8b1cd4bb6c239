import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { thrownBy } from "../../test/support.js";
import { compareKeyPrefix, compareStoreKeys } from "./key.js";
import { storeKeyBytes, storeKeyFromBytes, storeKeyRangeEnd } from "./key-bytes.js";
import type { StoreKey } from "./store.js";

/** Code units where an encoding may go wrong: control characters, the ends of one, two and three bytes, surrogates, the last. */
const DELICATE = [0, 1, 2, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xffee, 0xffff];
const unit = fc.oneof(fc.constantFrom(...DELICATE), fc.integer({ min: 0x61, max: 0x63 }), fc.nat(0xffff));
const name = fc.array(unit, { minLength: 1, maxLength: 4 }).map((units) => String.fromCharCode(...units));
const prefix = fc.array(name, { maxLength: 3 });
const key = fc.array(name, { minLength: 1, maxLength: 4 });

/** As databases compare binary keys. */
function compareBytes(one: Uint8Array, other: Uint8Array): number {
  return Math.sign(Buffer.compare(one, other));
}

describe("keys as bytes (SE-04, SE-06)", () => {
  it("order as the keys do", () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        expect(compareBytes(storeKeyBytes(one), storeKeyBytes(other))).toBe(Math.sign(compareStoreKeys(one, other)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("give back the key, whatever characters are in it", () => {
    fc.assert(
      fc.property(key, (names) => {
        expect(storeKeyFromBytes(storeKeyBytes(names), "key")).toEqual(names);
      }),
    );
    for (const code of DELICATE) {
      const names = [String.fromCharCode(code), "__proto__", `a${String.fromCharCode(code)}`];
      expect(storeKeyFromBytes(storeKeyBytes(names), "key")).toEqual(names);
    }
  });

  it("give back every code unit there is", () => {
    const all = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).join("");
    expect(storeKeyFromBytes(storeKeyBytes([all]), "key")[0] === all).toBe(true);
  });

  it("keep names apart that are alike when they are joined", () => {
    const alike: StoreKey[] = [
      ["a", "b"],
      ["ab"],
      ["a\u0000b"],
      ["a\u0000", "b"],
      ["a", "\u0000b"],
      ["a\u0001b"],
      ["a"],
    ];
    expect(new Set(alike.map((names) => Buffer.from(storeKeyBytes(names)).toString("hex"))).size).toBe(alike.length);
  });

  it("lie in the range of a prefix exactly when the key starts with its names", () => {
    fc.assert(
      fc.property(prefix, key, fc.boolean(), (names, other, inside) => {
        const tried = inside ? [...names, ...other] : other;
        const bytes = storeKeyBytes(tried);
        const end = storeKeyRangeEnd(names);
        const starts = compareBytes(bytes, storeKeyBytes(names)) >= 0;
        const ends = end === undefined || compareBytes(bytes, end) < 0;
        expect(starts && ends).toBe(compareKeyPrefix(tried, names) === 0);
      }),
      { numRuns: 2_000 },
    );
    for (const code of DELICATE) {
      const longer = storeKeyBytes([`a${String.fromCharCode(code)}`]);
      expect(compareBytes(longer, storeKeyRangeEnd(["a"]) as Uint8Array)).toBe(1);
    }
  });
});

describe("bytes that no key has (DG-04)", () => {
  it.each([
    ["no bytes at all", []],
    ["a name without its end", [0x61]],
    ["an empty name", [0x00]],
    ["an empty name after another", [0x61, 0x00, 0x00]],
    ["bytes after the last name", [0x61, 0x00, 0x62]],
    ["an escape of nothing", [0x01, 0x03, 0x00]],
    ["an escape that is cut off", [0x01]],
    ["two bytes of which one is there", [0xc3, 0x00]],
    ["three bytes of which two are there", [0xe2, 0x82, 0x00]],
    ["a byte that only goes on", [0x80, 0x80, 0x00]],
    ["a byte that starts four", [0xf0, 0x9f, 0x98, 0x80, 0x00]],
    ["another that starts four", [0xf4, 0x9f, 0x98, 0x00]],
    ["two bytes for what has one", [0xc1, 0xa1, 0x00]],
    ["two bytes for what has an escape", [0xc0, 0x80, 0x00]],
    ["three bytes for what has two", [0xe0, 0x82, 0x80, 0x00]],
  ])("are corrupt: %s", async (_, bytes) => {
    expect(await thrownBy(() => storeKeyFromBytes(Uint8Array.from(bytes), "row 7"))).toMatchObject({
      code: "corrupt_data",
      details: { place: "row 7", reason: "these bytes are no key" },
    });
  });

  it("are told from a key's, or are that key's only form", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
        let names: StoreKey;
        try {
          names = storeKeyFromBytes(bytes, "row 7");
        } catch (error) {
          expect(error).toMatchObject({ code: "corrupt_data" });
          return;
        }
        expect([...storeKeyBytes(names)]).toEqual([...bytes]);
      }),
      { numRuns: 5_000 },
    );
  });
});
