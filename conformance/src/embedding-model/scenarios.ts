import type { ScenarioFailure } from "../chat-model/scenarios.js";

/** What a server of embeddings does with every request while a scenario is on. */
export interface EmbeddingScenario {
  readonly about: string;
  /**
   * It answers with `scenarioVector` of each text, and one token per text: with all, with all but the last, or with a
   * last one that is too short.
   */
  readonly vectors?: "all" | "one_missing" | "one_short";
  readonly failure?: Exclude<ScenarioFailure, "error_in_stream">;
  /** With `failure`: how long the server asks to wait, ms. */
  readonly retryAfterMs?: number;
  /** No byte is ever sent; or the connection breaks in the middle of the answer. */
  readonly manner?: "silence" | "cut";
}

/** The name of a scenario of embeddings. */
export type EmbeddingScenarioName =
  | "vectors"
  | "vectors_missing"
  | "vectors_short"
  | "silence"
  | "cut"
  | "error_auth"
  | "error_rate_limit"
  | "error_server"
  | "error_bad_request"
  | "error_too_long"
  | "error_model"
  | "error_echo";

/** Every situation that embedding checks put a subject into. */
export const embeddingScenarios: { readonly [N in EmbeddingScenarioName]: EmbeddingScenario } = {
  vectors: { about: "a vector for each text", vectors: "all" },
  vectors_missing: { about: "a vector too few", vectors: "one_missing" },
  vectors_short: { about: "vectors of different lengths", vectors: "one_short" },
  silence: { about: "nothing, ever", manner: "silence" },
  cut: { about: "the connection breaks in the middle of the answer", vectors: "all", manner: "cut" },
  error_auth: { about: "a refusal of the key", failure: "auth" },
  error_rate_limit: { about: "too many requests, with a hint", failure: "rate_limit", retryAfterMs: 2_000 },
  error_server: { about: "a failure inside the server", failure: "server_error" },
  error_bad_request: { about: "the request is not valid", failure: "bad_request" },
  error_too_long: { about: "a text is longer than the model takes", failure: "context_window" },
  error_model: { about: "nobody knows the model", failure: "model_not_found" },
  error_echo: { about: "a refusal of the key that repeats the key", failure: "auth_echo" },
};

/** How long vectors are where a request names no length. */
export const scenarioDimensions = 4;

/** The vector of a text while a scenario is on: others for other texts. */
export function scenarioVector(text: string, dimensions: number = scenarioDimensions): readonly number[] {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const sum = codes.reduce((total, code, at) => (total + code * (at + 1)) % 997, 1);
  return Array.from({ length: dimensions }, (_, at) => (sum + at) / 1_024);
}

/** The vectors that a server sends for these texts. */
export function scenarioVectors(
  { vectors = "all" }: EmbeddingScenario,
  texts: readonly string[],
  dimensions: number = scenarioDimensions,
): readonly (readonly number[])[] {
  const all = texts.map((text) => scenarioVector(text, dimensions));
  if (vectors === "all") return all;
  const but = all.slice(0, -1);
  return vectors === "one_missing" ? but : [...but, ...all.slice(-1).map((vector) => vector.slice(1))];
}
