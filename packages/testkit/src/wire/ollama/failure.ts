import { type FailedReply, toFailedReply } from "../dialect.js";
import type { WireFailure } from "../entry.js";
import type { WireRequest } from "../request.js";
import { notFound } from "./models.js";

/** What Ollama, or its cloud, says with a status. */
const BY_STATUS: { readonly [status: number]: string } = {
  400: "invalid request",
  401: "unauthorized",
  402: "payment required",
  403: "forbidden",
  429: "too many requests",
  500: "llama runner process has terminated: exit status 2",
  503: "server busy, please try again.  maximum pending requests exceeded",
  529: "overloaded",
};

const BY_REASON: { readonly [reason in NonNullable<WireFailure["reason"]>]: string } = {
  quota: "you've reached your usage limit, please upgrade to continue",
  prompt_too_long: "the input length exceeds the context length",
};

/** A refusal in Ollama's words: a text, and nothing else to tell it by. */
export function ollamaFailure(failure: WireFailure, { body }: WireRequest): FailedReply {
  const { status, reason, message, more } = failure;
  const said =
    reason !== undefined ? BY_REASON[reason] : status === 404 ? notFound(body.model).message : BY_STATUS[status];
  return toFailedReply(failure, { error: message ?? said ?? "the request failed", ...more });
}
