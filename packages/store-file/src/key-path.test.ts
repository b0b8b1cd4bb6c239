import { compareStoreKeys } from "@tinyagents/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePieces, folderName, pieceOfFolder, piecesOf } from "./key-path.js";

function pathOf(...key: string[]): string {
  return piecesOf(key).map(folderName).join("/");
}

/** Any code units, also halves of pairs, and many of one, so that long names meet. */
const name = fc.oneof(
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 90 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .string({ minLength: 1, maxLength: 5, unit: fc.constantFrom("a", "b", ".", "A", "\0") })
    .map((s) => "a".repeat(38) + s),
);
const key = fc.array(name, { minLength: 1, maxLength: 3 });

describe("paths of keys (STO-07, SE-01, SE-04)", () => {
  it("are readable where names are plain", () => {
    expect(pathOf("prompts", "greeting.v2.txt", "run_1-a")).toBe("prompts/greeting.v2.txt/run_1-a");
  });

  it("leave no name that leads elsewhere, or that a file system knows", () => {
    const hostile = [
      "..",
      ".",
      "../b2/x",
      "/etc/passwd",
      "C:\\x",
      "a\0b",
      ".hidden",
      "end.",
      "end ",
      "nul",
      "com1.txt",
      "aux",
      "@",
      "@work",
      "a:b",
    ];
    for (const one of hostile) {
      const path = pathOf(one);
      expect(path).toMatch(/^[a-z0-9_%-][a-z0-9_.%-]*$/);
      expect(path).not.toMatch(/\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/);
    }
  });

  it("are different for names that a file system takes for one", () => {
    const alike = ["a", "A", "\u00e9", "e\u0301", "%41", "a.", "a", "\ud83d", "\ufffd"];
    expect(new Set(alike.map((one) => pathOf(one).toLowerCase().normalize())).size).toBe(new Set(alike).size);
  });

  it("have no folder with a name longer than file systems take", () => {
    const folders = pathOf("\u20ac".repeat(500), "n".repeat(500)).split("/");
    expect(Math.max(...folders.map((folder) => folder.length))).toBeLessThan(255);
  });

  it("are in the order of keys, and each is read back", () => {
    const compare = (one: readonly string[], other: readonly string[]): number => {
      const [left, right] = [piecesOf(one), piecesOf(other)];
      for (const [index, piece] of left.entries()) {
        const against = right[index];
        if (against === undefined) return 1;
        const order = comparePieces(piece, against);
        if (order !== 0) return order;
      }
      return left.length - right.length;
    };
    fc.assert(
      fc.property(key, key, (one, other) => {
        for (const piece of piecesOf(one)) expect(pieceOfFolder(folderName(piece))).toEqual(piece);
        expect(Math.sign(compare(one, other))).toBe(Math.sign(compareStoreKeys(one, other)));
      }),
    );
  });

  it("are read back from names of ours alone", () => {
    for (const folder of ["", "+", "A", ".DS_Store", "%4", "%zz", "%61", "@", "@work", "a+", "a".repeat(41)])
      expect(pieceOfFolder(folder), folder).toBeUndefined();
  });
});
