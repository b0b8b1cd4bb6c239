import { isJsonObject, type JsonObject } from "../json.js";

/** The longest line that is read, in UTF-16 code units. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * For adapters: the objects of a body of newline-delimited JSON, however its bytes are cut. With the `prefix` `data:`
 * those of server-sent events, whose other lines are passed over. A last line that was broken off is left out: whoever
 * reads knows from what came before that it is missing. Leaving the loop closes the body.
 *
 * @throws SyntaxError for a line that is no JSON object, or too long.
 */
export async function* jsonLines(
  body: ReadableStream<Uint8Array> | null,
  prefix = "",
): AsyncGenerator<JsonObject, void, undefined> {
  if (body === null) return;
  for await (const text of textLines(body)) {
    if (!text.startsWith(prefix)) continue;
    const line = text.slice(prefix.length);
    const object = line.endsWith("\n") ? parseLine(line) : parseLast(line);
    if (object !== undefined) yield object;
  }
}

/** Lines, each with its line break: one without was broken off at the end. */
async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let held = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      let start = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
        const line = held + text.slice(start, end + 1);
        held = "";
        start = end + 1;
        yield line;
      }
      held += text.slice(start);
      if (held.length > LONGEST_LINE) throw new SyntaxError("a line is too long");
      if (done) break;
    }
    if (held !== "") yield held;
  } finally {
    // A body that failed has nothing left to close, and says so.
    reader.cancel().catch(() => undefined);
  }
}

function parseLine(text: string): JsonObject | undefined {
  if (text.trim() === "") return undefined;
  const line: unknown = JSON.parse(text);
  if (isJsonObject(line)) return line;
  throw new SyntaxError("a line is no JSON object");
}

/** The line that no line break ends: whole, or broken off. */
function parseLast(text: string): JsonObject | undefined {
  try {
    return parseLine(text);
  } catch {
    return undefined;
  }
}
