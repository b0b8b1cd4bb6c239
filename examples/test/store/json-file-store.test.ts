import { writeFile } from "node:fs/promises";
import { storeConformance } from "@tinyagents/conformance/vitest";
import { describe, expect, test } from "vitest";
import { jsonFileBackend } from "../../src/store/json-file-store.js";
import { subject } from "./subject.js";

storeConformance(subject);

describe("a file that was damaged (DG-04)", () => {
  test.each([
    ["half a file", '{"v":1,"lastVer', "corrupt_data"],
    ["no data of a store", '"hello"', "corrupt_data"],
    ["records that are none", '{"v":1,"lastVersion":1,"records":[null]}', "corrupt_data"],
    ["a newer format", '{"v":2}', "version_mismatch"],
  ])("is refused with its place: %s", async (_, text, code) => {
    const place = await subject.create();
    try {
      await writeFile(place.ref.file, text);
      expect(() => jsonFileBackend(place.ref.file)).toThrow(
        expect.objectContaining({ code, details: expect.objectContaining({ place: place.ref.file }) }),
      );
    } finally {
      await place.remove();
    }
  });
});
