import { isJsonObject, type JsonObject } from "@tinyagents/core";

/** The longest line that is read, in UTF-16 code units. */
const LONGEST_LINE = 16 * 1024 * 1024;

/**
 * The lines of a body of newline-delimited JSON, however its bytes are cut. A last line that was broken off is left
 * out: whoever reads knows from what came before that it is missing. Leaving the loop closes the body.
 *
 * @throws SyntaxError for a line that is no JSON object, or too long.
 */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<JsonObject> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let held = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      let start = 0;
      for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
        const line = parseLine(held + text.slice(start, end));
        held = "";
        start = end + 1;
        if (line !== undefined) yield line;
      }
      held += text.slice(start);
      if (held.length > LONGEST_LINE) throw new SyntaxError("a line is too long");
      if (done) break;
    }
    const last = parseLast(held);
    if (last !== undefined) yield last;
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
