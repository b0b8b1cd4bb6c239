import { expect, it } from "vitest";
import { readBaseUrl, secretsOf } from "./endpoint.js";

it("a base URL is taken as it is, without slashes at its end", () => {
  expect(readBaseUrl("acmeModel", "http://localhost:8000/v1//")).toBe("http://localhost:8000/v1");
  expect(readBaseUrl("acmeModel", "https://api.acme.example")).toBe("https://api.acme.example");
});

it.each([
  ["localhost:8000/v1", "baseUrl is not http(s)"],
  ["/v1", "baseUrl is no absolute URL"],
  ["file:///etc/passwd", "baseUrl is not http(s)"],
  ["https://me@acme.example", "baseUrl has a user name, a password, a query or a fragment"],
  ["https://:hunter22@acme.example", "baseUrl has a user name, a password, a query or a fragment"],
  ["https://acme.example?key=hunter22", "baseUrl has a user name, a password, a query or a fragment"],
  ["https://acme.example#hunter22", "baseUrl has a user name, a password, a query or a fragment"],
])("%s is refused as a base URL, and is not in the error", (url, reason) => {
  const read = (): string => readBaseUrl("acmeModel", url);
  expect(read).toThrow(TypeError);
  expect(read).toThrow(`acmeModel: ${reason}`);
  expect(read).not.toThrow("hunter22");
});

it("the key, and what headers hold, are secrets; short words of headers are not", () => {
  const headers = { authorization: "Bearer hunter22", "x-debug": "true" };
  expect(secretsOf("k", headers)).toEqual(["k", "Bearer hunter22", "hunter22"]);
  expect(secretsOf(undefined)).toEqual([]);
});
