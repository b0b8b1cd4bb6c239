import { foreignHistories, secretKey } from "@tinyagents/conformance";
import { isTinyAgentsError, type ModelRequest, TinyAgentsError, userMessage } from "@tinyagents/core";
import {
  all,
  argsInOne,
  argsToFirst,
  blocks,
  callsReversed,
  code,
  deaf,
  deltas,
  errors,
  type Fault,
  finish,
  finishesAnyway,
  listening,
  messages,
  onceOnly,
  refusal,
  refusing,
  refusingBlocks,
  requests,
  text,
  twice,
  without,
  withStream,
} from "./fault-kinds.js";

let latest: ModelRequest | undefined;

/** For each check, by its name, a model that breaks that one promise. */
export const faults: { readonly [check: string]: Fault } = {
  "answers with the text that the server sent": text((said) => `${said}!`),
  "keeps characters whole wherever the bytes are cut": text((said) => said.replaceAll("🎉", "\ufffd")),
  "says which model answered": deltas((delta) => [delta.type === "finish" ? { ...delta, model: "" } : delta]),
  "sends system instructions": messages((list) => list.filter(({ role }) => role !== "system")),
  "sends all turns of a history in their order": messages((list) => list.toReversed()),
  "sends a history that has an empty answer in it": blocks((block) =>
    block.type === "text" && block.text === ""
      ? [{ type: "provider", provider: "memory", value: { text: "" } }]
      : [block],
  ),
  "sends a call together with its result": messages((list) => list.filter(({ role }) => role !== "tool")),
  "sends an image as an image": blocks((block) => (block.type === "image" ? [] : [block])),
  "sends a document as a document": blocks((block) => (block.type === "file" ? [] : [block])),
  "sends a recording as a recording": blocks((block) => (block.type === "audio" ? [] : [block])),
  "never has an image's bytes in the text of a tool result": blocks((block, { role }) =>
    block.type === "image" && role === "tool" && block.source.type === "base64"
      ? [{ type: "text", text: block.source.data }]
      : [block],
  ),
  "keeps reasoning apart from the text": deltas((delta) => [
    delta.type === "reasoning" ? { ...delta, type: "text" } : delta,
  ]),
  "gives structured output that the provider enforces": requests(({ responseFormat: _, ...request }) => request),
  "keeps a field of the provider's own, through storage and back": without("provider"),

  "gives a tool call with its id, name and arguments": deltas((delta) => [
    delta.type === "tool_call_start" ? { ...delta, id: "another" } : delta,
  ]),
  "gives a call without arguments an empty object": deltas((delta) =>
    delta.type === "tool_call_start" ? [delta, { type: "tool_call_args", index: delta.index, args: "null" }] : [delta],
  ),
  "keeps broken arguments whole, as an invalid call": without("tool_call_args"),
  "gives parallel calls in the model's order": all(callsReversed),
  "tells calls apart whose frames have no index": all(argsToFirst),
  "tells calls apart whose frames all have the same index": all(argsToFirst),
  "streams the arguments of a call as they come": all(argsInOne),

  "reports input and output tokens": without("usage"),
  "reports cached and reasoning tokens as parts of the totals": deltas((delta) => {
    if (delta.type !== "usage") return [delta];
    const { cachedInputTokens = 0, inputTokens = 0 } = delta.usage;
    return [{ type: "usage", usage: { ...delta.usage, inputTokens: inputTokens + cachedInputTokens } }];
  }),
  "reports what the provider charged": deltas((delta) => {
    if (delta.type !== "usage") return [delta];
    const { charged: _, ...usage } = delta.usage;
    return [{ type: "usage", usage }];
  }),
  "leaves unknown usage unknown, or says that it is an estimate": deltas((delta) =>
    delta.type === "finish"
      ? [{ type: "usage", usage: { inputTokens: 0, outputTokens: 0, source: "reported" } }, delta]
      : [delta],
  ),
  "finishes with stop where the model did": finish("stop", "other"),
  "finishes with tool_calls where the model did": finish("tool_calls", "stop"),
  "finishes with length where the model did": finish("length", "stop"),
  "finishes with content_filter where the model did": finish("content_filter", "stop"),
  "tells a refusal as one, with its words": deltas((delta) => [
    delta.type === "refusal" ? { ...delta, type: "text" } : delta,
  ]),

  ...Object.fromEntries(foreignHistories.map(({ about, messages }) => [`goes on from ${about}`, refusing(messages)])),
  "takes its own answer with calls back, twice": refusingBlocks("tool_call"),
  "takes its own thoughts back, twice": refusingBlocks("reasoning"),
  "takes its own broken call back, twice": refusingBlocks("tool_call"),
  "never sends the arguments of a broken call as they were": blocks((block) => [
    block.type === "tool_call" && block.invalid !== undefined ? { type: "text", text: block.invalid.raw } : block,
  ]),
  "refuses a request without anything to say": messages((list) => (list.length === 0 ? [userMessage("Hi")] : list)),

  ...Object.fromEntries(
    (["temperature", "topP", "maxOutputTokens", "stopSequences", "seed", "reasoningEffort"] as const).map((setting) => [
      `honours ${setting}, or says with the response that it cannot`,
      requests(({ [setting]: _, ...request }) => request),
    ]),
  ),
  "demands a tool where it is told to (tool_choice_required)": requests(({ toolChoice: _, ...request }) => request),
  "demands a tool where it is told to (tool_choice_named)": requests(({ toolChoice: _, ...request }) => request),
  "offers no tool to a request that forbids them, or tells the provider so": requests(
    ({ toolChoice: _, ...request }) => request,
  ),
  "asks for JSON where any JSON will do": requests(({ responseFormat: _, ...request }) => request),
  "has the answer's schema as arguments, where a tool call is to carry it": requests(({ tools = [], ...request }) => ({
    ...request,
    tools: tools.map((tool) => ({ ...tool, inputSchema: {} })),
  })),

  "gives the same response streamed and whole": deltas((delta, { delivery }) =>
    delivery === "whole" && delta.type === "text" ? [] : [delta],
  ),
  "gives the same response however it is cut into pieces": text((said) => said.trim()),
  "gives the same response wherever chance cuts its bytes": text((said) => said.trim()),
  "passes over frames and fields that it does not know": deltas((delta) => [
    delta.type === "provider" ? { type: "text", index: 1, text: "?" } : delta,
  ]),
  "gives deltas that keep the rules of a stream": without("tool_call_end"),
  "streams text as it comes": all((read) => read),
  "keeps eight calls at once apart": withStream(async function* (inner, request, call) {
    latest = request;
    await Promise.resolve();
    yield* inner(latest, call);
  }),
  "changes nothing in the request": requests((request) => Object.assign(request, { temperature: 0 })),
  "passes the provider's options on, under the request's own settings": requests((request) => {
    return request.providerOptions === undefined ? request : { ...request, messages: [userMessage("overridden")] };
  }),
  "refuses a request for what its profile does not affirm": requests(({ requires: _, ...request }) => request),

  "sends nothing before it is read": withStream((inner, request, call) => {
    const iterator = inner(request, call)[Symbol.asyncIterator]();
    const first = iterator.next();
    return {
      [Symbol.asyncIterator]: () => ({ next: () => first, return: async () => ({ done: true, value: undefined }) }),
    };
  }),
  "sends nothing when it is cancelled before": deaf,
  "stops waiting for an answer when it is cancelled": deaf,
  "stops in mid-stream when it is cancelled, and closes the connection": withStream(
    async function* (inner, request, call) {
      try {
        yield* inner(request, call);
      } catch (error) {
        if (!isTinyAgentsError(error, "cancelled")) throw error;
      }
    },
  ),
  "closes the connection when the reader leaves": withStream(async function* (inner, request, call) {
    const iterator = inner(request, call)[Symbol.asyncIterator]();
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
  }),
  "fails with the reason when it is cancelled for one of ours": errors(
    ({ message }) => new TinyAgentsError("cancelled", message, { details: {} }),
  ),
  "leaves no listener on the caller's signal": listening,

  "leaves no failure behind that nobody hears of when it is stopped": withStream((inner, request, call) => {
    void Promise.reject(new Error("nobody hears this"));
    return inner(request, call);
  }),
  "answers the next call after one was stopped": onceOnly,
  "leaves no listener on the caller's signal when the reader leaves": listening,
  "leaves no listener on the caller's signal when the call fails": listening,
  "leaves time limits to the caller": withStream(async function* (inner, request, call) {
    const late = new Promise<never>((_, reject) => {
      if (request.timeoutMs !== undefined) setTimeout(() => reject(refusal()), request.timeoutMs);
    });
    const iterator = inner(request, call)[Symbol.asyncIterator]();
    for (let next = await iterator.next(); next.done !== true; next = await Promise.race([iterator.next(), late])) {
      yield next.value;
    }
  }),

  "fails with provider_auth when the key is refused": code("provider_bad_request"),
  "fails with provider_rate_limit, and the server's hint, when there were too many requests": errors(
    ({ message }) => new TinyAgentsError("provider_rate_limit", message, { details: { provider: "memory" } }),
  ),
  "fails with provider_billing, for good, when quota is used up": code("provider_rate_limit"),
  "fails with provider_server when the server failed": code("provider_bad_request"),
  "fails with provider_overloaded, and the server's hint, when the server is": errors(
    ({ message }) =>
      new TinyAgentsError("provider_overloaded", message, { details: { provider: "memory" }, retryable: false }),
  ),
  "fails with provider_bad_request, for good": code("provider_server"),
  "fails with context_window_exceeded when the request is too long": code("provider_bad_request"),
  "fails with model_not_found when nobody knows the model": code("provider_bad_request"),
  "fails with provider_server when an error follows the text, after it has told the text, and asks once": twice,
  "fails with network when the connection breaks, and keeps what had come": errors(
    ({ message }) => new TinyAgentsError("network", message, { details: {} }),
  ),
  "fails with network when a whole answer breaks off": finishesAnyway,
  "fails with network when a stream ends cleanly but too early": finishesAnyway,
  "fails with provider_server when the error comes inside a stream": finishesAnyway,
  "makes one request for each attempt, and leaves repeating to the caller": twice,
  "never has the key in an error, nor in what it was caused by": errors(
    ({ code, message, details }) =>
      new TinyAgentsError(code, message, { details, cause: new Error("401", { cause: { headers: [secretKey] } }) }),
  ),
};
