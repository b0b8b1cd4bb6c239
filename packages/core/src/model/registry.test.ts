import { describe, expect, test } from "vitest";
import type { ChatModel } from "./chat-model.js";
import { modelRegistry } from "./registry.js";

function modelNamed(id: string): ChatModel {
  const [provider = "", model = ""] = id.split("/");
  return {
    id,
    profile: { provider, model, capabilities: {}, lifecycle: "active", source: "unknown" },
    stream() {
      throw new Error("a registry asks no model");
    },
  };
}

const small = modelNamed("acme/small");
const large = modelNamed("acme/large");

describe("MDL-02 models by name", () => {
  const registry = modelRegistry({ models: { small, large }, default: "small" });

  test("are found by their name, with the name", () => {
    expect(registry.model("large")).toEqual({ name: "large", model: large });
    expect(registry.has("large")).toBe(true);
  });

  test("have a default for whoever names none", () => {
    expect(registry.model()).toEqual({ name: "small", model: small });
    expect(registry.defaultName).toBe("small");
  });

  test("are missing by a name that nobody registered, with the names there are", () => {
    expect(registry.has("huge")).toBe(false);
    expect(() => registry.model("huge")).toThrow(
      expect.objectContaining({ code: "model_not_found", details: { model: "huge", available: ["small", "large"] } }),
    );
    expect(() => registry.model("toString")).toThrow(expect.objectContaining({ code: "model_not_found" }));
  });

  test("are missing where none is named and there is no default", () => {
    expect(() => modelRegistry({ models: { small } }).model()).toThrow(
      expect.objectContaining({ code: "model_not_found", message: expect.stringContaining("no default") }),
    );
    expect(() => modelRegistry({ models: {} }).model("small")).toThrow("No model is registered");
  });
});

test("MDL-02 names that mean something to objects are names as any others", () => {
  const registry = modelRegistry({
    models: JSON.parse('{"__proto__":0,"constructor":0}', (key, value) => (key === "" ? value : small)),
    aliases: JSON.parse('{"toString":"__proto__"}'),
  });
  expect(registry.names).toEqual(["__proto__", "constructor"]);
  expect(registry.model("toString")).toEqual({ name: "__proto__", model: small });
  expect(registry.has("valueOf")).toBe(false);
});

describe("RES-05 routes and aliases", () => {
  const registry = modelRegistry({
    models: { small, large },
    aliases: { "acme:large-v1": "large" },
    routes: { coding: "large", background: "small" },
  });

  test("a kind of work leads to its model, under the model's own name", () => {
    expect(registry.model("coding")).toEqual({ name: "large", model: large });
    expect(registry.model("background").model).toBe(small);
  });

  test("a name that settings have had so far goes on working", () => {
    expect(registry.model("acme:large-v1")).toEqual({ name: "large", model: large });
  });

  test("neither counts as a model of its own", () => {
    expect(registry.names).toEqual(["small", "large"]);
  });
});

test.each([
  ["a default", { default: "huge" }, 'default: there is no model "huge"'],
  ["an alias", { aliases: { l: "huge" } }, 'aliases.l: there is no model "huge"'],
  ["a route", { routes: { coding: "huge" } }, 'routes.coding: there is no model "huge"'],
  ["a route that leads to a route", { routes: { coding: "small", agentic: "coding" } }, 'there is no model "coding"'],
  ["a model without a name", { models: { "": small } }, "a name is empty"],
  ["an alias without a name", { aliases: { "": "small" } }, "aliases: a name is empty"],
  ["a model that is none", { models: { odd: {} as ChatModel } }, "models.odd: a ChatModel is expected"],
  ["a model that is nothing", { models: { odd: undefined as never } }, "models.odd: a ChatModel is expected"],
  ["an alias with a model's name", { aliases: { large: "small" } }, 'the name "large" is taken'],
  ["a route with an alias's name", { aliases: { x: "small" }, routes: { x: "large" } }, 'the name "x" is taken'],
])("MDL-02 %s that leads nowhere or twice is refused at once", (_, options, message) => {
  expect(() => modelRegistry({ models: { small, large }, ...options })).toThrow(TypeError);
  expect(() => modelRegistry({ models: { small, large }, ...options })).toThrow(message);
});
