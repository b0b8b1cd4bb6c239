import { describe, expect, it } from "vitest";
import { refusedCall } from "./refused-call.js";

function tool(name: string, ...properties: readonly string[]) {
  const schema = { type: "object", properties: Object.fromEntries(properties.map((one) => [one, { type: "string" }])) };
  return { name, description: "", inputSchema: schema };
}

const TOOLS = [tool("write", "path", "content"), tool("read", "path"), tool("run", "command")];

function call(raw: string, tools = TOOLS) {
  return refusedCall(`error parsing tool call: raw='${raw}', err=invalid character '$' in string`, tools);
}

describe("a call that the server could not read (PA-22)", () => {
  it("keeps what the model wrote and what is wrong with it", () => {
    const raw = `{"command":"echo 'it''s', err=1\n"}`;
    expect(call(raw)).toEqual({ name: "run", raw, reason: "invalid character '$' in string" });
  });

  it.each([
    ['{"name":"read","parameters":{"path":"a"', "read"],
    ['{"path":"a","content":"b}', "write"],
    ['We need to look. {"command":"ls"', "run"],
  ])("of %j is of the tool that can be seen in it", (raw, name) => {
    expect(call(raw)?.name).toBe(name);
  });

  it("is of the only tool there is, whatever was written", () => {
    expect(call("ls -R", [tool("run", "command")])?.name).toBe("run");
  });

  it.each([
    ['{"path":"a"', TOOLS],
    ["ls -R", TOOLS],
    ['{"name":"erase"}', TOOLS],
    ['{"name":"write"}', []],
  ])("of %j is none where it could be several's, or nobody's", (raw, tools) => {
    expect(call(raw, tools)).toBeUndefined();
  });

  it("is none in another failure", () => {
    expect(refusedCall("error parsing tool call: unexpected end", TOOLS)).toBeUndefined();
    expect(refusedCall("boom", TOOLS)).toBeUndefined();
  });
});
