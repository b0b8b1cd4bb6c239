import { userMessage } from "@tinyagents/core";
import { describe, expect, it } from "vitest";
import { declare, drive, fileTools } from "../test/drive.js";
import { decide } from "./decide.js";

const weather = declare("get_weather", "Current weather in a city.", { city: { type: "string" } });
const report = { city: "Oslo", celsius: 7, raining: true };

describe("decide", () => {
  it("says what it is when asked", () => {
    expect(drive("Who are you?", [weather]).answer).toMatch(
      /offline, rule-based stand-in, not a language model.*get_weather/,
    );
    expect(drive("Which model is answering this?").answer).toMatch(/mock\/rules-1/);
  });

  it("calls a tool whose arguments the question names, and tells what it returned", () => {
    const { calls, answer } = drive("Is it raining in Oslo?", [weather], () => report);
    expect(calls).toEqual([{ name: "get_weather", args: { city: "Oslo" } }]);
    expect(answer).toBe("get_weather (Oslo): city: Oslo, celsius: 7, raining: true");
  });

  it("calls it once for each name, in one turn", () => {
    const { turns } = drive("What's the weather in Oslo and Rome?", [weather], () => report);
    expect(turns).toEqual([["Oslo", "Rome"].map((city) => ({ name: "get_weather", args: { city } }))]);
  });

  it("asks for a few at a time, until it has them all", () => {
    const cities = ["Oslo", "Rome", "Paris", "Bonn", "Wien"];
    const { turns } = drive("Weather in Oslo, Rome, Paris, Bonn and Wien?", [weather], () => report);
    expect(turns.map((calls) => calls.map(({ args }) => args.city))).toEqual([cities.slice(0, 4), cities.slice(4)]);
  });

  it("understands names in a lower-case question, and in another language", () => {
    expect(drive("weather in oslo?", [weather]).calls[0]?.args).toEqual({ city: "oslo" });
    expect(drive("Wie ist das Wetter in Oslo?", [weather]).calls[0]?.args).toEqual({ city: "Oslo" });
  });

  it("tells of a tool that failed, and does not call it again", () => {
    const { calls, answer } = drive("Is it raining in Oslo?", [weather], () => {
      throw new Error("no such city");
    });
    expect(calls).toHaveLength(1);
    expect(answer).toBe("I could not tell: get_weather (Oslo) failed: Error: no such city");
  });

  it("picks the tool that the question speaks of", () => {
    const clock = declare("get_time", "Current time in a city.", { city: { type: "string" } });
    expect(drive("What time is it in Oslo?", [weather, clock]).calls.map(({ name }) => name)).toEqual(["get_time"]);
  });

  it("hands a whole task to a tool that takes one", () => {
    const researcher = declare("researcher", "Researches boats.", { input: { type: "string" } });
    const question = "Ask the researcher about boats.";
    expect(drive(question, [researcher], () => "Boats float.")).toMatchObject({
      calls: [{ name: "researcher", args: { input: question } }],
      answer: expect.stringContaining("Boats float."),
    });
  });

  it("calls nothing when arguments are missing, and says that it cannot answer", () => {
    const transfer = declare("transfer_money", "Transfers money.", {
      to: { type: "string" },
      amount: { type: "number" },
    });
    expect(drive("Please transfer money", [transfer])).toMatchObject({
      calls: [],
      answer: expect.stringContaining("I cannot answer that"),
    });
  });

  it("does not change anything that the question does not speak of", () => {
    const remove = declare("delete_account", "Deletes an account.", { name: { type: "string" } });
    expect(drive("Is it raining in Oslo?", [remove]).calls).toEqual([]);
  });

  it("prefers files to tools that the question does not speak of", () => {
    expect(drive("What does TinyAgents promise?", [weather, ...fileTools], () => []).calls[0]?.name).toBe(
      "search_files",
    );
  });

  it("says that it cannot answer without tools", () => {
    expect(drive("Why is the sky blue?").answer).toMatch(/^I cannot answer that: I have no tools/);
  });

  it("answers an empty question, and a history without one", () => {
    expect(drive("").answer).toMatch(/^There is no question/);
    expect(decide({ messages: [] })).toMatchObject({ type: "answer" });
  });

  it("quotes a long text that came with the question", () => {
    const text = `${"Filler about nothing at all stands here. ".repeat(10)}The harbour closes at nine.`;
    expect(drive(`When does the harbour close?\n\n${text}`).answer).toContain("The harbour closes at nine.");
  });
});

describe("a demanded tool call", () => {
  it("is made with the least that the schema allows, whatever the question", () => {
    const tool = declare("save", "Saves.", {
      name: { type: "string", minLength: 3 },
      count: { type: "integer", minimum: 5 },
    });
    const reply = decide({
      messages: [userMessage("hello there")],
      tools: [tool],
      toolChoice: { type: "tool", name: "save" },
    });
    expect(reply).toEqual({ type: "calls", calls: [{ name: "save", args: { name: "unknown", count: 5 } }] });
  });

  it("is of the nearest tool when any will do", () => {
    const reply = decide({
      messages: [userMessage("weather?")],
      tools: [declare("delete_account", "Deletes an account.", { name: { type: "string" } }), weather],
      toolChoice: "required",
    });
    expect(reply).toMatchObject({ calls: [{ name: "get_weather" }] });
  });

  it("is what the rules would call anyway, where they call something", () => {
    const reply = decide({
      messages: [userMessage("Is it raining in Oslo?")],
      tools: [weather],
      toolChoice: "required",
    });
    expect(reply).toEqual({ type: "calls", calls: [{ name: "get_weather", args: { city: "Oslo" } }] });
  });

  it("is refused when the tool is not declared", () => {
    const messages = [userMessage("x")];
    expect(() => decide({ messages, tools: [weather], toolChoice: { type: "tool", name: "other" } })).toThrow(
      /"other"/,
    );
    expect(() => decide({ messages, toolChoice: "required" })).toThrow(/declares no tools/);
  });

  it("is not made when tools are forbidden", () => {
    expect(
      decide({ messages: [userMessage("Is it raining in Oslo?")], tools: [weather], toolChoice: "none" }).type,
    ).toBe("answer");
  });
});

describe("a structured answer", () => {
  const schema = {
    type: "object",
    properties: { city: { type: "string" }, celsius: { type: "number" }, mood: { enum: ["good", "bad"] } },
    required: ["city", "celsius", "mood"],
  };

  it("has the values that tools returned", () => {
    const responseFormat = { type: "json_schema" as const, name: "report", schema };
    const { calls, answer } = drive("Is it raining in Oslo?", [weather], () => report, { responseFormat });
    expect(calls).toHaveLength(1);
    expect(JSON.parse(answer)).toEqual({ city: "Oslo", celsius: 7, mood: "good" });
  });

  it("of any JSON holds the answer", () => {
    expect(JSON.parse(drive("2 + 2", [], undefined, { responseFormat: { type: "json" } }).answer)).toEqual({
      answer: "2 + 2 = 4.",
    });
  });
});
