import { foreignHistories, secretKey } from "@tinyagents/conformance";
import {
  type Block,
  type ChatModel,
  type ErrorCode,
  type FinishReason,
  isTinyAgentsError,
  type Message,
  type ModelCallContext,
  type ModelDelta,
  type ModelRequest,
  TinyAgentsError,
  userMessage,
} from "@tinyagents/core";

/** Makes a sound model unsound. */
export type Fault = (model: ChatModel) => ChatModel;
type Stream = ChatModel["stream"];

function withStream(stream: (inner: Stream, ...args: Parameters<Stream>) => ReturnType<Stream>): Fault {
  return (model) => ({ ...model, stream: (request, call) => stream(model.stream, request, call) });
}

function deltas(change: (delta: ModelDelta, call: ModelCallContext) => readonly ModelDelta[]): Fault {
  return withStream(async function* (inner, request, call) {
    for await (const delta of inner(request, call)) yield* change(delta, call);
  });
}

function all(change: (deltas: readonly ModelDelta[]) => readonly ModelDelta[]): Fault {
  return withStream(async function* (inner, request, call) {
    const read: ModelDelta[] = [];
    for await (const delta of inner(request, call)) read.push(delta);
    yield* change(read);
  });
}

function requests(change: (request: ModelRequest) => ModelRequest): Fault {
  return withStream((inner, request, call) => inner(change(request), call));
}

function messages(change: (messages: readonly Message[]) => readonly Message[]): Fault {
  return requests((request) => ({ ...request, messages: change(request.messages) }));
}

function blocks(change: (block: Block, message: Message) => readonly Block[]): Fault {
  return messages((list) =>
    list.map((message) => ({ ...message, content: message.content.flatMap((block) => change(block, message)) })),
  );
}

function errors(change: (error: TinyAgentsError) => unknown): Fault {
  return withStream(async function* (inner, request, call) {
    try {
      yield* inner(request, call);
    } catch (error) {
      throw isTinyAgentsError(error) ? change(error) : error;
    }
  });
}

function code(wrong: ErrorCode): Fault {
  return errors(({ message, details }) => new TinyAgentsError(wrong, message, { details: details as never }));
}

/** Takes any failure for the end of the answer. */
const finishesAnyway: Fault = withStream(async function* (inner, request, call) {
  let finished = false;
  try {
    for await (const delta of inner(request, call)) {
      finished ||= delta.type === "finish";
      yield delta;
    }
  } catch {}
  if (!finished) yield { type: "finish", finishReason: "stop" };
});

function finish(from: FinishReason, to: FinishReason): Fault {
  return deltas((delta) => [
    delta.type === "finish" && delta.finishReason === from ? { ...delta, finishReason: to } : delta,
  ]);
}

function refusal(): TinyAgentsError {
  return new TinyAgentsError("provider_bad_request", "It does not take this.", { details: { provider: "memory" } });
}

/** Does not take one history. */
function refusing(history: readonly Message[]): Fault {
  return messages((list) => {
    if (JSON.stringify(list) === JSON.stringify(history)) throw refusal();
    return list;
  });
}

/** Does not take blocks of one type in answers. */
function refusingBlocks(type: Block["type"]): Fault {
  return blocks((block, { role }) => {
    if (role === "assistant" && block.type === type) throw refusal();
    return [block];
  });
}

const deaf: Fault = withStream((inner, request, call) => inner(request, { ...call, signal: undefined }));

function without(...types: readonly ModelDelta["type"][]): Fault {
  return deltas((delta) => (types.includes(delta.type) ? [] : [delta]));
}

function callsReversed(read: readonly ModelDelta[]): readonly ModelDelta[] {
  const starts = read.filter(({ type }) => type === "tool_call_start").toReversed();
  const indexes = starts.map((delta) => (delta.type === "tool_call_start" ? delta.index : 0));
  const ofCall = (index: number): readonly ModelDelta[] =>
    read.filter((delta) => delta.type.startsWith("tool_call") && "index" in delta && delta.index === index);
  return [...indexes.flatMap(ofCall), ...read.filter(({ type }) => !type.startsWith("tool_call"))];
}

/** Takes every fragment of arguments for one of the first call's. */
function argsToFirst(read: readonly ModelDelta[]): readonly ModelDelta[] {
  const first = read.find(({ type }) => type === "tool_call_start");
  const index = first?.type === "tool_call_start" ? first.index : 0;
  const rest = read.filter(({ type }) => type !== "tool_call_end");
  const ends = read.filter(({ type }) => type === "tool_call_end");
  const moved = rest.map((delta) => (delta.type === "tool_call_args" ? { ...delta, index } : delta));
  return [...moved.slice(0, -1), ...ends, ...moved.slice(-1)];
}

/** Tries again without a word. */
const twice: Fault = withStream(async function* (inner, request, call) {
  try {
    yield* inner(request, call);
  } catch {
    yield* inner(request, call);
  }
});

const listening: Fault = withStream((inner, request, call) => {
  call.signal?.addEventListener("abort", () => undefined);
  return inner(request, call);
});

/** Is of no use any more once it was stopped. */
const onceOnly: Fault = (model) => {
  let stopped = false;
  return {
    ...model,
    async *stream(request, call) {
      if (stopped) throw refusal();
      try {
        yield* model.stream(request, call);
      } finally {
        stopped = true;
      }
    },
  };
};

function argsInOne(read: readonly ModelDelta[]): readonly ModelDelta[] {
  const args = read.map((delta) => (delta.type === "tool_call_args" ? delta.args : "")).join("");
  return read.flatMap((delta): readonly ModelDelta[] => {
    if (delta.type === "tool_call_args") return [];
    if (delta.type !== "tool_call_end") return [delta];
    return [{ type: "tool_call_args", index: delta.index, args }, delta];
  });
}

function text(change: (text: string) => string): Fault {
  return deltas((delta) => [delta.type === "text" ? { ...delta, text: change(delta.text) } : delta]);
}

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
