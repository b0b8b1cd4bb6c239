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
} from "@tinyagents/core";

/** Makes a sound model unsound. */
export type Fault = (model: ChatModel) => ChatModel;
type Stream = ChatModel["stream"];

export function withStream(stream: (inner: Stream, ...args: Parameters<Stream>) => ReturnType<Stream>): Fault {
  return (model) => ({ ...model, stream: (request, call) => stream(model.stream, request, call) });
}

export function deltas(change: (delta: ModelDelta, call: ModelCallContext) => readonly ModelDelta[]): Fault {
  return withStream(async function* (inner, request, call) {
    for await (const delta of inner(request, call)) yield* change(delta, call);
  });
}

export function all(change: (deltas: readonly ModelDelta[]) => readonly ModelDelta[]): Fault {
  return withStream(async function* (inner, request, call) {
    const read: ModelDelta[] = [];
    for await (const delta of inner(request, call)) read.push(delta);
    yield* change(read);
  });
}

export function requests(change: (request: ModelRequest) => ModelRequest): Fault {
  return withStream((inner, request, call) => inner(change(request), call));
}

export function messages(change: (messages: readonly Message[]) => readonly Message[]): Fault {
  return requests((request) => ({ ...request, messages: change(request.messages) }));
}

export function blocks(change: (block: Block, message: Message) => readonly Block[]): Fault {
  return messages((list) =>
    list.map((message) => ({ ...message, content: message.content.flatMap((block) => change(block, message)) })),
  );
}

export function errors(change: (error: TinyAgentsError) => unknown): Fault {
  return withStream(async function* (inner, request, call) {
    try {
      yield* inner(request, call);
    } catch (error) {
      throw isTinyAgentsError(error) ? change(error) : error;
    }
  });
}

export function code(wrong: ErrorCode): Fault {
  return errors(({ message, details }) => new TinyAgentsError(wrong, message, { details: details as never }));
}

/** Takes any failure for the end of the answer. */
export const finishesAnyway: Fault = withStream(async function* (inner, request, call) {
  let finished = false;
  try {
    for await (const delta of inner(request, call)) {
      finished ||= delta.type === "finish";
      yield delta;
    }
  } catch {}
  if (!finished) yield { type: "finish", finishReason: "stop" };
});

export function finish(from: FinishReason, to: FinishReason): Fault {
  return deltas((delta) => [
    delta.type === "finish" && delta.finishReason === from ? { ...delta, finishReason: to } : delta,
  ]);
}

export function refusal(): TinyAgentsError {
  return new TinyAgentsError("provider_bad_request", "It does not take this.", { details: { provider: "memory" } });
}

/** Does not take one history. */
export function refusing(history: readonly Message[]): Fault {
  return messages((list) => {
    if (JSON.stringify(list) === JSON.stringify(history)) throw refusal();
    return list;
  });
}

/** Does not take blocks of one type in answers. */
export function refusingBlocks(type: Block["type"]): Fault {
  return blocks((block, { role }) => {
    if (role === "assistant" && block.type === type) throw refusal();
    return [block];
  });
}

export const deaf: Fault = withStream((inner, request, call) => inner(request, { ...call, signal: undefined }));

export function without(...types: readonly ModelDelta["type"][]): Fault {
  return deltas((delta) => (types.includes(delta.type) ? [] : [delta]));
}

export function callsReversed(read: readonly ModelDelta[]): readonly ModelDelta[] {
  const starts = read.filter(({ type }) => type === "tool_call_start").toReversed();
  const indexes = starts.map((delta) => (delta.type === "tool_call_start" ? delta.index : 0));
  const ofCall = (index: number): readonly ModelDelta[] =>
    read.filter((delta) => delta.type.startsWith("tool_call") && "index" in delta && delta.index === index);
  return [...indexes.flatMap(ofCall), ...read.filter(({ type }) => !type.startsWith("tool_call"))];
}

/** Takes every fragment of arguments for one of the first call's. */
export function argsToFirst(read: readonly ModelDelta[]): readonly ModelDelta[] {
  const first = read.find(({ type }) => type === "tool_call_start");
  const index = first?.type === "tool_call_start" ? first.index : 0;
  const rest = read.filter(({ type }) => type !== "tool_call_end");
  const ends = read.filter(({ type }) => type === "tool_call_end");
  const moved = rest.map((delta) => (delta.type === "tool_call_args" ? { ...delta, index } : delta));
  return [...moved.slice(0, -1), ...ends, ...moved.slice(-1)];
}

/** Tries again without a word. */
export const twice: Fault = withStream(async function* (inner, request, call) {
  try {
    yield* inner(request, call);
  } catch {
    yield* inner(request, call);
  }
});

export const listening: Fault = withStream((inner, request, call) => {
  call.signal?.addEventListener("abort", () => undefined);
  return inner(request, call);
});

/** Is of no use any more once it was stopped. */
export const onceOnly: Fault = (model) => {
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

export function argsInOne(read: readonly ModelDelta[]): readonly ModelDelta[] {
  const args = read.map((delta) => (delta.type === "tool_call_args" ? delta.args : "")).join("");
  return read.flatMap((delta): readonly ModelDelta[] => {
    if (delta.type === "tool_call_args") return [];
    if (delta.type !== "tool_call_end") return [delta];
    return [{ type: "tool_call_args", index: delta.index, args }, delta];
  });
}

export function text(change: (text: string) => string): Fault {
  return deltas((delta) => [delta.type === "text" ? { ...delta, text: change(delta.text) } : delta]);
}
