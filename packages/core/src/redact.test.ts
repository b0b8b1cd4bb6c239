import { describe, expect, test } from "vitest";
import { REDACTED, redactJson, redactText } from "./redact.js";

describe("texts", () => {
  test("lose the secrets that are known, wherever and however often they stand", () => {
    expect(redactText("a hunter22 and hunter22.", ["hunter22"])).toBe(`a ${REDACTED} and ${REDACTED}.`);
    expect(redactText("a.b$c stays whole: a.b$c", ["a.b$c"])).toBe(`${REDACTED} stays whole: ${REDACTED}`);
  });

  test("lose the whole of a secret that begins with another one", () => {
    expect(redactText("key: hunter22-extended", ["hunter22", "hunter22-extended"])).toBe(`key: ${REDACTED}`);
  });

  test("keep what is too short to be a secret", () => {
    expect(redactText("the cat sat", ["at", "", "cat"])).toBe("the cat sat");
    expect(redactText("1234", ["1234"])).toBe(REDACTED);
  });

  test.each([
    ["sk-abcdefghijklmnop"],
    ["pk_live_abcdefghijkl"],
    ["ghp_abcdefghijklmnop1234"],
    ["xoxb-123456789012-abcdef"],
    ["Bearer abcdefgh.ijkl"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl"],
  ])("lose what has the shape of a key: %s", (secret) => {
    expect(redactText(`before ${secret} after`)).toBe(`before ${REDACTED} after`);
    expect(redactText(`${secret},${secret}`)).toBe(`${REDACTED},${REDACTED}`);
  });

  test("keep words that only begin like one", () => {
    const text = "risk-averse people ask-and-answer; sk-short; Bearer of news; eyJust";
    expect(redactText(text)).toBe(text);
  });
});

describe("values", () => {
  test("lose secrets in strings at every depth, and keep everything else", () => {
    const value = { a: ["Bearer abcdefghij", 1, null, true], b: { c: "plain", d: "hunter22" } };
    expect(redactJson(value, ["hunter22"])).toEqual({ a: [REDACTED, 1, null, true], b: { c: "plain", d: REDACTED } });
    expect(value.b.d).toBe("hunter22");
  });

  test.each([
    ["authorization"],
    ["Cookie"],
    ["set-cookie"],
    ["x-api-key"],
    ["apiKey"],
    ["OPENAI_API_KEY"],
    ["client_secret"],
    ["password"],
    ["dbPassphrase"],
    ["accessToken"],
    ["refresh_token"],
    ["awsCredentials"],
  ])("lose what stands under the key %s, whatever it is", (key) => {
    expect(redactJson({ [key]: { deep: [1] }, kept: 1 })).toEqual({ [key]: REDACTED, kept: 1 });
  });

  test.each([["inputTokens"], ["key"], ["author"], ["authorizationUrl"], ["cookies_accepted"]])("keep %s", (key) => {
    expect(redactJson({ [key]: 1 })).toEqual({ [key]: 1 });
  });

  test("of a key __proto__ stay keys", () => {
    const clean = redactJson(JSON.parse('{"__proto__":{"password":"x"}}'));
    expect(JSON.stringify(clean)).toBe(`{"__proto__":{"password":"${REDACTED}"}}`);
  });
});
