import { describe, expect, test } from "vitest";
import { userMessage } from "../message/build.js";
import type { ChatModel } from "./chat-model.js";
import { chooseModel, type ModelSources } from "./choose-model.js";
import type { ModelProfile, ModelRung } from "./profile.js";
import { modelRegistry } from "./registry.js";
import type { ModelRequest } from "./request.js";

function modelNamed(model: string, profile: Partial<ModelProfile> = {}): ChatModel {
  return {
    id: `acme/${model}`,
    profile: {
      provider: "acme",
      model,
      capabilities: { tools: "yes", image_input: "yes" },
      lifecycle: "active",
      source: "unknown",
      ...profile,
    },
    stream() {
      throw new Error("choosing asks no model");
    },
  };
}

const messages = [userMessage("Hello.")];
const registry = modelRegistry({
  models: {
    good: modelNamed("good"),
    other: modelNamed("other"),
    plain: modelNamed("plain", { capabilities: {} }),
    blind: modelNamed("blind", { capabilities: { tools: "yes", image_input: "no" } }),
    gone: modelNamed("gone", { lifecycle: "retired" }),
    fallback: modelNamed("unused"),
  },
  default: "good",
  routes: { coding: "other" },
});
const own = modelNamed("own");
const spare = { model: modelNamed("spare") };
const all: ModelSources = { registry, agent: { model: own }, fallbacks: [spare] };
const previous = { id: "acme/other", provider: "acme", model: "other", name: "other" };

function choose(request: Partial<ModelRequest>, sources: ModelSources = all) {
  const { model, resolved, skipped } = chooseModel({ messages, ...request }, sources);
  return { id: model.id, rung: resolved.chosenBy, skipped };
}

describe("RES-01 the model of a call is", () => {
  test.each<[ModelRung, string, Partial<ModelRequest>, ModelSources]>([
    ["override", "acme/other", { model: "other", hints: ["good"], reuseModel: true }, { ...all, previous }],
    ["override", "acme/other", { model: "coding" }, all],
    ["reuse", "acme/other", { reuseModel: true, hints: ["good"] }, { ...all, previous }],
    ["hint", "acme/other", { hints: ["other", "good"] }, all],
    ["agent", "acme/own", {}, all],
    ["registry", "acme/good", {}, { registry, fallbacks: [spare] }],
    ["fallback", "acme/spare", {}, { fallbacks: [spare] }],
  ])("that of the rung %s (%s), as those before it are not there", (rung, id, request, sources) => {
    expect(choose(request, sources)).toEqual({ id, rung, skipped: [] });
  });

  test.each<[ModelRung, Partial<ModelRequest>, ModelSources, ModelRung]>([
    ["reuse", { reuseModel: true }, { ...all, previous: { ...previous, id: "acme/gone", name: "gone" } }, "agent"],
    ["hint", { hints: ["gone"] }, all, "agent"],
    ["agent", {}, { ...all, agent: { model: modelNamed("old", { lifecycle: "retired" }) } }, "registry"],
    [
      "registry",
      {},
      {
        registry: modelRegistry({ models: { gone: modelNamed("gone", { lifecycle: "retired" }) }, default: "gone" }),
        fallbacks: [spare],
      },
      "fallback",
    ],
    ["fallback", {}, { fallbacks: [{ model: modelNamed("old", { lifecycle: "retired" }) }, spare] }, "fallback"],
  ])("not one of the rung %s that is retired", (rung, request, sources, next) => {
    const choice = choose(request, sources);
    expect(choice.rung).toBe(next);
    expect(choice.skipped).toMatchObject([{ rung, reason: "retired" }]);
  });

  test("known by the name that a fallback has in the registry (RES-03)", () => {
    const named = { ...spare, name: "cheap" };
    expect(chooseModel({ messages }, { fallbacks: [named] }).resolved).toMatchObject({
      name: "cheap",
      chosenBy: "fallback",
    });
  });

  test("known by its registry name, not by the route that led to it", () => {
    const { resolved } = chooseModel({ messages, model: "coding" }, all);
    expect(resolved).toEqual({
      id: "acme/other",
      provider: "acme",
      model: "other",
      name: "other",
      chosenBy: "override",
    });
  });
});

describe("RES-02 hints with requirements", () => {
  test("pass over models that lack something, and say which and what", () => {
    expect(choose({ hints: ["plain", "huge", "other"], requires: ["tools"] })).toEqual({
      id: "acme/other",
      rung: "hint",
      skipped: [
        { rung: "hint", model: "plain", reason: "capability_missing", capabilities: ["tools"] },
        { rung: "hint", model: "huge", reason: "not_registered" },
      ],
    });
  });

  test("pass over models that cannot read what the messages hold", () => {
    const image = { type: "image", source: { type: "base64", mediaType: "image/png", data: "" } } as const;
    const choice = choose({ messages: [userMessage([image])], hints: ["blind"] });
    expect(choice).toMatchObject({ rung: "agent", skipped: [{ model: "blind", capabilities: ["image_input"] }] });
  });

  test("fail before anything is sent when none remains, with all that was missing", () => {
    const plain = modelNamed("plain", { capabilities: {} });
    expect(() =>
      choose({ requires: ["tools", "reasoning"] }, { agent: { model: plain }, fallbacks: [{ model: own }] }),
    ).toThrow(
      expect.objectContaining({
        code: "capability_missing",
        details: { model: "acme/plain, acme/own", capabilities: ["tools", "reasoning"] },
      }),
    );
  });

  test("fail when there is no model at all", () => {
    expect(() => choose({}, {})).toThrow(expect.objectContaining({ code: "model_not_found" }));
    expect(() => choose({ hints: ["huge"] }, {})).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ model: "huge" }) }),
    );
  });
});

describe("RES-01 a model that the request names", () => {
  test("is missing when it is not registered, whatever else there is", () => {
    expect(() => choose({ model: "huge" })).toThrow(expect.objectContaining({ code: "model_not_found" }));
    expect(() => choose({ model: "good" }, { agent: { model: own } })).toThrow(
      expect.objectContaining({ code: "model_not_found" }),
    );
  });

  test("is missing when it is retired, and the error says that", () => {
    expect(() => choose({ model: "gone" })).toThrow(
      expect.objectContaining({ code: "model_not_found", message: expect.stringContaining("retired") }),
    );
  });

  test("is not replaced by another when it lacks something", () => {
    expect(() => choose({ model: "plain", requires: ["tools"] })).toThrow(
      expect.objectContaining({ code: "capability_missing", details: { model: "plain", capabilities: ["tools"] } }),
    );
  });
});

test("RES-02 a name for which a registry has no model is passed over", () => {
  const odd = { names: ["odd"], defaultName: "odd", has: () => true, model: (name = "odd") => ({ name, model: {} }) };
  expect(choose({ hints: ["odd"] }, { registry: odd as never, fallbacks: [spare] })).toEqual({
    id: "acme/spare",
    rung: "fallback",
    skipped: [
      { rung: "hint", model: "odd", reason: "not_registered" },
      { rung: "registry", model: "odd", reason: "not_registered" },
    ],
  });
});

describe("RES-04 the model that answered before", () => {
  test("answers again only where the request wants it", () => {
    expect(choose({}, { ...all, previous }).rung).toBe("agent");
    expect(choose({ reuseModel: true }, all).rung).toBe("agent");
  });

  test("is found by its id where no registry knows it", () => {
    const before = { id: "acme/spare", provider: "acme", model: "spare" };
    expect(choose({ reuseModel: true }, { ...all, previous: before })).toMatchObject({
      id: "acme/spare",
      rung: "reuse",
    });
  });

  test("is the one that has its name now, and the agent's where its name is gone", () => {
    const renamed = { id: "acme/older", provider: "acme", model: "older", name: "other" };
    expect(choose({ reuseModel: true }, { ...all, previous: renamed }).id).toBe("acme/other");
    const lost = { id: "acme/own", provider: "acme", model: "own", name: "lost" };
    expect(choose({ reuseModel: true }, { ...all, previous: lost })).toMatchObject({ id: "acme/own", rung: "reuse" });
  });

  test("is passed over when it lacks what is needed, or is at hand no more", () => {
    const plain = { ...previous, id: "acme/plain", name: "plain" };
    expect(choose({ reuseModel: true, requires: ["tools"] }, { ...all, previous: plain })).toMatchObject({
      rung: "agent",
      skipped: [{ rung: "reuse", model: "plain", reason: "capability_missing" }],
    });
    const lost = { id: "acme/lost", provider: "acme", model: "lost" };
    expect(choose({ reuseModel: true }, { ...all, previous: lost }).skipped).toEqual([
      { rung: "reuse", model: "acme/lost", reason: "not_registered" },
    ]);
  });
});
