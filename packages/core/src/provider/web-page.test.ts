import { expect, test } from "vitest";
import { thrownBy } from "../../test/support.js";
import { refuseWebPage } from "./web-page.js";

const said = { provider: "acme", hint: "It ends in /v1." };
const page = { headers: { "content-type": "text/html; charset=utf-8" } };

test("a web page in place of an answer is refused, with a hint where to look", async () => {
  const answer = new Response("<html>", page);
  expect(await thrownBy(() => refuseWebPage(answer, said))).toMatchObject({
    code: "provider_bad_request",
    message: "acme answered with a web page. Is baseUrl right? It ends in /v1.",
    details: { provider: "acme", status: 200 },
  });
});

test("any other answer, and a page that is an error, is handed on as it is", async () => {
  for (const answer of [Response.json({}), new Response("<html>", { ...page, status: 502 })]) {
    expect(await refuseWebPage(answer, said)).toBe(answer);
  }
});
