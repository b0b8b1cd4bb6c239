import {
  CAPABILITIES,
  collect,
  isJsonObject,
  type JsonObject,
  type ModelDelta,
  type ModelRequest,
  resolvedModel,
  support,
  systemMessage,
  text,
  userMessage,
} from "@tinyagents/core";
import { assert, assertEqual, assertFails, assertIncludes } from "../assert.js";
import type { Check } from "../check.js";
import { ask, BOTH, stream, WEATHER_TOOL } from "./ask.js";
import { essence } from "./essence.js";
import { scenarios } from "./scenarios.js";
import { type ModelUnderTest, RECORDED_REQUESTS } from "./subject.js";

const TOOLS = [WEATHER_TOOL];

/** Says where a stream of deltas breaks the rules of its contract. */
function problemIn(deltas: readonly ModelDelta[]): string | undefined {
  const open = new Set<number>();
  const ended = new Set<number>();
  for (const [at, delta] of deltas.entries()) {
    if (delta.type === "finish" && at !== deltas.length - 1) return `delta ${at} is a finish, but others follow`;
    if (delta.type === "restart") return `delta ${at} is a restart: a model makes one attempt`;
    if (delta.type === "tool_call_start") open.add(delta.index);
    if (delta.type === "tool_call_args" && !open.has(delta.index)) return `delta ${at} has arguments of no open call`;
    if (delta.type === "tool_call_args" && ended.has(delta.index)) return `delta ${at} has arguments of an ended call`;
    if (delta.type === "tool_call_end") ended.add(delta.index);
  }
  if (deltas.at(-1)?.type !== "finish") return "the last delta is no finish";
  return ended.size === open.size ? undefined : "a call was started and not ended";
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) freeze(inner);
  return Object.freeze(value);
}

/** What holds of every call. */
export const streamChecks: readonly Check<ModelUnderTest>[] = [
  {
    name: "gives the same response streamed and whole",
    group: "streams",
    needs: ["tools", "mixed"],
    run: (subject) =>
      subject.within("mixed", async ({ model }) => {
        const [streamed, whole] = await Promise.all(BOTH.map((delivery) => ask(model, { tools: TOOLS }, { delivery })));
        assert(streamed !== undefined && whole !== undefined, "an answer is missing");
        assertEqual(essence(whole), essence(streamed), "the whole response, against the streamed one");
      }),
  },
  {
    name: "gives deltas that keep the rules of a stream",
    group: "streams",
    needs: ["tools", "mixed_pieces"],
    run: (subject) =>
      subject.within("mixed_pieces", async ({ model }) => {
        for (const delivery of BOTH) {
          const deltas: ModelDelta[] = [];
          for await (const delta of stream(model, { tools: TOOLS }, { delivery })) deltas.push(delta);
          assertEqual(problemIn(deltas), undefined, `what is wrong with the deltas (${delivery})`);
        }
      }),
  },
  {
    name: "streams text as it comes",
    group: "streams",
    needs: ["streaming", "stall"],
    run: (subject) =>
      subject.within("stall", async ({ model }) => {
        let seen = "";
        for await (const delta of stream(model)) {
          if (delta.type !== "text") continue;
          seen += delta.text;
          break;
        }
        assert(seen !== "", "no text came before the end");
      }),
  },
  {
    name: "keeps eight calls at once apart",
    group: "streams",
    needs: ["echo"],
    run: (subject) =>
      subject.within("echo", async ({ model }) => {
        const { together = 1 } = scenarios.echo;
        const words = Array.from({ length: together }, (_, at) => `question ${at + 1}`);
        const answers = await Promise.all(words.map((word) => ask(model, { messages: [userMessage(word)] })));
        assertEqual(
          answers.map(({ message }) => text(message)),
          words,
          "the answers",
        );
      }),
  },
  {
    name: "changes nothing in the request",
    group: "requests",
    needs: ["text"],
    run: (subject) =>
      subject.within("text", async ({ model }) => {
        const request: ModelRequest = {
          messages: [systemMessage("Be brief."), userMessage("Say hello.")],
          maxOutputTokens: 50,
          stopSequences: ["END"],
          providerOptions: { [model.profile.provider]: { x_conformance: "kept" } },
        };
        const before = structuredClone(request);
        freeze(request);
        for (const delivery of BOTH) {
          await collect(model.stream(request, { delivery, signal: undefined }), resolvedModel(model));
        }
        assertEqual(request, before, "the request after the call");
      }),
  },
  {
    name: "passes the provider's options on, under the request's own settings",
    group: "requests",
    needs: [RECORDED_REQUESTS],
    async run(subject) {
      const settings = await sentBy(subject, {});
      // What a plain request has is what this API calls its settings: none of it may be overridden.
      const own = Object.fromEntries(Object.keys(settings).map((name) => [name, "overridden"]));
      const { provider } = await subject.within("text", async ({ model }) => model.profile);
      const sent = await sentBy(subject, {
        [provider]: { ...own, x_conformance: "passed on" },
        elsewhere: { x_other: "not mine" },
      });
      const body = JSON.stringify(sent);
      assertIncludes(body, "passed on", "the request");
      assert(!body.includes("overridden"), `an option of the provider overrode a setting: ${body}`);
      assert(!body.includes("not mine"), `the options of another provider were sent: ${body}`);
    },
  },
  {
    name: "refuses a request for what its profile does not affirm",
    group: "requests",
    needs: ["text"],
    run: (subject) =>
      subject.within("text", async ({ model, requests }) => {
        const { profile } = model;
        for (const capability of CAPABILITIES.filter((one) => support(profile, one) !== "yes")) {
          const work = ask(model, { requires: [capability] });
          const error = await assertFails(work, "capability_missing", `a request that requires ${capability}`);
          assertEqual(error.details.capabilities, [capability], "details.capabilities");
        }
        assertEqual(requests().length, 0, "requests");
      }),
  },
];

/** The body of a plain request with these options. */
function sentBy(
  subject: ModelUnderTest,
  providerOptions: NonNullable<ModelRequest["providerOptions"]>,
): Promise<JsonObject> {
  return subject.within("text", async ({ model, requests }) => {
    await ask(model, { providerOptions });
    const body = requests()[0]?.body;
    assert(isJsonObject(body), "the body of the request is recorded as an object");
    return body;
  });
}
