import { describe, expect, test } from "vitest";
import { notSent, ownOptions, refuseEmpty } from "./request.js";

describe("what a request says to one provider alone", () => {
  test("is its entry, and nothing where it has none", () => {
    const providerOptions = { acme: { tier: 1 }, other: { tier: 2 } };
    expect(ownOptions({ providerOptions }, "acme")).toEqual({ tier: 1 });
    expect(ownOptions({ providerOptions }, "toString")).toEqual({});
    expect(ownOptions({}, "acme")).toEqual({});
  });

  test("is refused when it is no object", () => {
    expect(() => ownOptions({ providerOptions: { acme: [1] as never } }, "acme")).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  });
});

test("a request of which nothing is left to send is refused", () => {
  expect(() => refuseEmpty([])).toThrow(
    expect.objectContaining({ code: "invalid_request", details: { reason: "no_messages" } }),
  );
  expect(() => refuseEmpty([{}])).not.toThrow();
});

test("settings that were made and not sent are named", () => {
  expect(notSent("acme-1", { seed: 0, topP: undefined })).toEqual([
    { code: "unsupported_setting", setting: "seed", message: "acme-1 does not take seed; it was not sent." },
  ]);
});
