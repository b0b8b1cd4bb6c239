import { expect, it } from "vitest";
import { codeOfStatus, isPassingFileError, systemCodeOf } from "./failure-code.js";

it.each([
  [400, "provider_bad_request"],
  [401, "provider_auth"],
  [402, "provider_billing"],
  [403, "provider_auth"],
  [404, "provider_bad_request"],
  [408, "network"],
  [429, "provider_rate_limit"],
  [499, "provider_bad_request"],
  [500, "provider_server"],
  [502, "provider_server"],
  [503, "provider_overloaded"],
  [529, "provider_overloaded"],
])("status %i alone stands for %s", (status, code) => {
  expect(codeOfStatus(status)).toBe(code);
});

it("the system's code for a failed connection is found in the causes", () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  expect(systemCodeOf(new TypeError("fetch failed", { cause: refused }))).toBe("ECONNREFUSED");
  expect(systemCodeOf(Object.assign(new Error("odd"), { code: 7, cause: refused }))).toBe("ECONNREFUSED");
});

it("what has no code, and causes without end, have none", () => {
  const endless = new Error("endless");
  endless.cause = endless;
  expect(systemCodeOf(endless)).toBeUndefined();
  expect(systemCodeOf("ECONNREFUSED")).toBeUndefined();
});

it.each([
  ["EBUSY", true],
  ["EMFILE", true],
  ["ENOSPC", false],
  ["EACCES", false],
])("a failed access to a file that says %s passes by itself: %s", (code, passes) => {
  expect(isPassingFileError(Object.assign(new Error("write"), { code }))).toBe(passes);
});
