import { APIError } from "openai";
import { describe, expect, it } from "vitest";
import { readFailedGeneration } from "./failed-generation.js";

const LOOK = { name: "look", description: "", inputSchema: {} };

function read(raw: unknown): unknown {
  const body = { message: "Failed to call a function.", code: "tool_use_failed", failed_generation: raw };
  return readFailedGeneration(new APIError(400, body, undefined, undefined), [LOOK], 3, [], []);
}

describe("what a server refused of its own model's making (PA-22)", () => {
  it("is an invalid call where a call can be seen in it", () => {
    const texts = ['{"name": "look", "arguments": {"at": }}', '<function=look>{"at"}</function>', 'look({"at"'];
    for (const raw of texts) {
      expect(read(raw)).toMatchObject([
        { type: "block", index: 3, block: { type: "tool_call", name: "look", args: {}, invalid: { raw } } },
        { type: "finish", finishReason: "tool_calls", warnings: [{ code: "malformed_data" }] },
      ]);
    }
  });

  it("names a tool that is not offered as the model did", () => {
    expect(read('{"name": "peek"}')).toMatchObject([{ block: { name: "peek" } }, {}]);
  });

  it("is text where it is prose", () => {
    expect(read("I would rather look myself.")).toMatchObject([
      { type: "block", block: { type: "text", text: "I would rather look myself." } },
      { type: "finish", finishReason: "stop" },
    ]);
  });

  it("has no secret in it that the server repeats (SE-08)", () => {
    const body = { message: "Not for canary-key.", failed_generation: '{"name": "look", "key": "canary-key"' };
    const said = readFailedGeneration(new APIError(400, body, undefined, undefined), [LOOK], 0, [], ["canary-key"]);
    expect(said?.[0]).toMatchObject({ block: { invalid: { reason: "Not for [redacted]." } } });
    expect(JSON.stringify(said)).not.toContain("canary");
  });

  it("is no answer when nothing was generated, or the error is another", () => {
    expect(read("")).toBeUndefined();
    expect(read(undefined)).toBeUndefined();
    expect(readFailedGeneration(new Error("x"), [LOOK], 0, [], [])).toBeUndefined();
  });
});
