import { expect, it } from "vitest";
import { passwordsIn, readBaseUrl, secretsOf } from "./endpoint.js";

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

it.each<[string, readonly string[]]>([
  ["", []],
  ["postgresql://localhost/db", []],
  ["postgresql://user@localhost/db", []],
  ["postgresql://user:pass%2Fword@localhost/db", ["pass%2Fword", "pass/word"]],
  ["postgres://localhost/db?user=u&password=hunter22&ssl=true", ["hunter22", "hunter22"]],
  ["postgres://u:100%@localhost/db", ["100%", "100%"]],
  ["mongodb+srv://u:hunter22@one.example,two.example/?tls=true", ["hunter22", "hunter22"]],
])("the passwords in an address are found, as written and as meant: %s", (address, passwords) => {
  expect(passwordsIn(address)).toEqual(passwords);
});
