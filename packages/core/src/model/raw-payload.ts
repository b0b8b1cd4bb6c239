import type { JsonObject } from "../json.js";
import { isThenable } from "../thenable.js";
import type { ChatModel, ModelCallContext } from "./chat-model.js";

/**
 * What went over the wire of a model call: the body of its request, each frame of a streamed answer, or a whole answer.
 * Never a header, so never a key; but whatever was said. It is the adapter's own, for the length of the watcher's turn:
 * whoever keeps it copies it.
 */
export type RawPayload =
  | { readonly type: "request"; readonly body: JsonObject }
  | { readonly type: "frame"; readonly body: unknown }
  | { readonly type: "answer"; readonly body: unknown };

/** Takes payloads. What it throws is not the call's concern and is dropped. */
export type PayloadWatcher = (payload: RawPayload, call: ModelCallContext) => void;

/** For adapters: tells whoever asked for payloads of one. */
export function tellPayload(call: ModelCallContext, payload: RawPayload): void {
  if (call.onPayload === undefined) return;
  try {
    const pending: unknown = call.onPayload(payload, call);
    if (isThenable(pending)) Promise.resolve(pending).catch(drop);
  } catch {
    // A watcher's failure is its own; the call goes on.
  }
}

/** The same model; a watcher is told of what goes over its wire. An adapter that tells of nothing leaves it without. */
export function withPayloads(model: ChatModel, watch: PayloadWatcher): ChatModel {
  return {
    id: model.id,
    profile: model.profile,
    ...(model.ownsRetry === true ? { ownsRetry: true } : {}),
    stream: (request, call) => model.stream(request, watched(call, watch)),
  };
}

/** The signal stays what it is: made when it is first read. */
function watched(call: ModelCallContext, watch: PayloadWatcher): ModelCallContext {
  const { delivery, runId, callId } = call;
  return {
    get signal() {
      return call.signal;
    },
    delivery,
    runId,
    callId,
    onPayload(payload) {
      tellPayload(call, payload);
      return watch(payload, call);
    },
  };
}

function drop(): void {}
