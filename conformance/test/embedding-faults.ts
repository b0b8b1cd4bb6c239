import { secretKey } from "@tinyagents/conformance";
import {
  type DocumentEmbeddings,
  type EmbeddingModel,
  type EmbeddingOptions,
  type ErrorCode,
  isTinyAgentsError,
  TinyAgentsError,
} from "@tinyagents/core";
import type { EmbeddingFault } from "./memory-embeddings.js";

type Embed = EmbeddingModel["embedDocuments"];

function documents(change: (inner: Embed, ...args: Parameters<Embed>) => ReturnType<Embed>): EmbeddingFault {
  return (model) => ({ ...model, embedDocuments: (texts, options) => change(model.embedDocuments, texts, options) });
}

function results(change: (result: DocumentEmbeddings) => DocumentEmbeddings): EmbeddingFault {
  return documents(async (inner, ...args) => change(await inner(...args)));
}

function options(change: (options: EmbeddingOptions) => EmbeddingOptions): EmbeddingFault {
  return documents((inner, texts, asked = {}) => inner(texts, change(asked)));
}

function errors(change: (error: TinyAgentsError) => unknown): EmbeddingFault {
  return documents(async (inner, ...args) => {
    try {
      return await inner(...args);
    } catch (error) {
      throw isTinyAgentsError(error) ? change(error) : error;
    }
  });
}

function code(wrong: ErrorCode): EmbeddingFault {
  return errors(({ message, details }) => new TinyAgentsError(wrong, message, { details: details as never }));
}

/** Answers with nothing where it failed. */
const neverFails: EmbeddingFault = documents(async (inner, ...args) => {
  try {
    return await inner(...args);
  } catch {
    return { vectors: [], dimensions: 0, model: { id: "", provider: "", model: "" }, warnings: [] };
  }
});

const deaf = options(({ signal: _, ...asked }) => asked);

/** For each check, by its name, an embedding model that breaks that one promise. */
export const embeddingFaults: { readonly [check: string]: EmbeddingFault } = {
  "gives one vector for each text, in their order": results((result) => ({
    ...result,
    vectors: result.vectors.toReversed(),
  })),
  "splits a list into the batches of its profile": documents(async (inner, texts, asked) => {
    const each = await Promise.all(texts.map((text) => inner([text], asked)));
    return { ...(each[0] as DocumentEmbeddings), vectors: each.flatMap(({ vectors }) => vectors) };
  }),
  "adds up the tokens of all its requests": results(({ usage, ...result }) => ({
    ...result,
    usage: { ...usage, inputTokens: 1, source: "reported" },
  })),
  "says which model gave them": results((result) => ({ ...result, model: { ...result.model, id: "" } })),
  "gives no vectors for no texts, and asks nobody": documents((inner, texts, asked) =>
    inner(texts.length === 0 ? [""] : texts, asked),
  ),
  "places a query in the same space": (model) => ({
    ...model,
    embedQuery: async (text, asked) => {
      const result = await model.embedQuery(text, asked);
      return { ...result, vector: result.vector.slice(1) };
    },
  }),
  "gives vectors of the length that is asked for": options(({ dimensions: _, ...asked }) => asked),
  "passes the provider's options on, under its own settings": options(({ providerOptions: _, ...asked }) => asked),
  "changes nothing in the list": documents((inner, texts, asked) => inner((texts as string[]).sort(), asked)),
  "fails with corrupt_data when a vector is missing, or is shorter than others": neverFails,

  "fails with provider_auth when the key is refused": code("provider_bad_request"),
  "fails with provider_rate_limit, and the server's hint, when there were too many requests": errors(
    ({ message }) => new TinyAgentsError("provider_rate_limit", message, { details: { provider: "memory" } }),
  ),
  "fails with provider_server when the server failed": code("provider_bad_request"),
  "fails with provider_bad_request, for good": code("provider_server"),
  "fails with context_window_exceeded when a text is too long": code("provider_bad_request"),
  "fails with model_not_found when nobody knows the model": code("provider_bad_request"),
  "fails with network when the answer breaks off": neverFails,
  "makes one request, and leaves repeating to the caller": (model) => ({
    ...model,
    embedQuery: (text, asked) => model.embedQuery(text, asked).catch(() => model.embedQuery(text, asked)),
  }),
  "never has the key in an error, nor in what it was caused by": errors(
    ({ code, message, details }) =>
      new TinyAgentsError(code, message, { details, cause: new Error("401", { cause: { headers: [secretKey] } }) }),
  ),

  "sends nothing when it is cancelled before": deaf,
  "stops waiting when it is cancelled, and closes the connection": deaf,
  "leaves no listener on the caller's signal": documents((inner, texts, asked) => {
    asked?.signal?.addEventListener("abort", () => undefined);
    return inner(texts, asked);
  }),
};
