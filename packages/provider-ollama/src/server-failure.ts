import { isJsonObject, type JsonObject, type JsonValue, parseJson, redactText } from "@tinyagents/core";

/** What a server said of something that went wrong: as the answer to a request, or as a line within one. */
export class ServerFailure extends Error {
  override readonly name = "ServerFailure";
  /** Of HTTP; absent for a line within an answer of 200. */
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly headers: Headers | undefined;
  /** The tokens of the prompt and of the context, where the server counts them. */
  readonly tokens: TokenCounts;

  constructor(said: Said, secrets: readonly string[], answer?: Pick<Response, "status" | "headers">) {
    super(redactText(said.message, secrets));
    this.status = answer?.status;
    this.code = said.code === undefined ? undefined : redactText(said.code, secrets);
    // Other headers are nobody's business, and may hold secrets.
    this.headers = answer === undefined ? undefined : onlyHints(answer.headers);
    this.tokens = said.tokens;
  }
}

interface TokenCounts {
  readonly limitTokens?: number;
  readonly askedTokens?: number;
}

interface Said {
  readonly message: string;
  readonly code?: string;
  readonly tokens: TokenCounts;
}

const HINTS = ["retry-after", "date"] as const;

function onlyHints(headers: Headers): Headers {
  return new Headers(HINTS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])));
}

/** How deep errors stand in errors: a server passes on, as a text, what an engine or another server answered it. */
const DEEPEST = 10;

/** The words of an error: a text, an object with an `error` or a `message`, or a text that holds such an object. */
export function readSaid(value: unknown, depth = 0): Said {
  if (typeof value === "string") return readText(value, depth);
  if (!isJsonObject(value) || depth >= DEEPEST) return { message: "It did not say why.", tokens: {} };
  if (value.error !== undefined && value.error !== null) return readSaid(value.error, depth + 1);
  const code = firstText(value.type, value.code);
  const inner = readText(firstText(value.message, value.detail) ?? "", depth + 1);
  return {
    message: inner.message,
    ...(code === undefined ? {} : { code }),
    tokens: { ...inner.tokens, ...counts(value.n_ctx, value.n_prompt_tokens) },
  };
}

function readText(text: string, depth: number): Said {
  const trimmed = text.trim();
  if (trimmed.startsWith("{") && depth < DEEPEST) {
    try {
      return readSaid(parseJson(trimmed, { place: "an error" }), depth + 1);
    } catch {
      // It only looked like JSON: the text is all there is.
    }
  }
  const sizes = /\((\d+) tokens\) exceeds the available context size \((\d+) tokens\)/.exec(trimmed);
  return {
    message: trimmed === "" ? "It did not say why." : trimmed,
    tokens: counts(Number(sizes?.[2]), Number(sizes?.[1])),
  };
}

function counts(limit: JsonValue | undefined, asked: JsonValue | undefined): TokenCounts {
  return {
    ...(isCount(limit) ? { limitTokens: limit } : {}),
    ...(isCount(asked) ? { askedTokens: asked } : {}),
  };
}

function isCount(value: JsonValue | undefined): value is number {
  return typeof value === "number" && value > 0;
}

function firstText(...values: readonly (JsonValue | undefined)[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** The failure in an object that a server sent with status 200, if it is one. */
export function failureIn(line: JsonObject, secrets: readonly string[]): ServerFailure | undefined {
  return line.error === undefined || line.error === null ? undefined : new ServerFailure(readSaid(line), secrets);
}
