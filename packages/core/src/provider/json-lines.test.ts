import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toArray } from "../../test/support.js";
import { jsonLines } from "./json-lines.js";

function bodyOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function linesOf(...texts: readonly string[]): Promise<readonly unknown[]> {
  const encoder = new TextEncoder();
  return read(bodyOf(texts.map((text) => encoder.encode(text))));
}

function read(body: ReadableStream<Uint8Array> | null, prefix?: string): Promise<readonly unknown[]> {
  return toArray(jsonLines(body, prefix));
}

/** Cuts bytes at these places, counted from the start; those beyond the end cut nothing. */
function cut(bytes: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const edges = [
    0,
    ...[...new Set(places)].filter((place) => place < bytes.length).sort((a, b) => a - b),
    bytes.length,
  ];
  return edges.slice(1).map((end, at) => bytes.slice(edges[at], end));
}

describe("lines of JSON", () => {
  it("are read in order, whatever ends them and however many come at once", async () => {
    expect(await linesOf('{"a":1}\n{"a":2}\r\n\n  \n{"a":', "3}\n")).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  it("are those of server-sent events, whose other lines are passed over", async () => {
    const text = ': hello\nevent: x\ndata: {"a":1}\n\ndata:{"a":2}\r\n\n{"a":3}\n';
    expect(await read(bodyOf([new TextEncoder().encode(text)]), "data:")).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("are none where there is no body", async () => {
    expect(await read(null)).toEqual([]);
  });

  it("may end without a line break", async () => {
    expect(await linesOf('{"a":1}\n{"a":2}')).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it("leave out a last one that was broken off, even within a character", async () => {
    expect(await linesOf('{"a":1}\n{"a":')).toEqual([{ a: 1 }]);
    const bytes = new TextEncoder().encode('{"a":1}\n{"a":"é');
    expect(await read(bodyOf([bytes.slice(0, -1)]))).toEqual([{ a: 1 }]);
  });

  it.each(["{oops}\n", "[1]\n", "null\n", '"text"\n'])("are no %j", async (text) => {
    await expect(linesOf('{"a":1}\n', text, '{"a":2}\n')).rejects.toThrow(SyntaxError);
  });

  it("have an end: one that never breaks is not collected for ever", async () => {
    const mebibyte = new Uint8Array(1024 * 1024).fill(0x20);
    let pulls = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls++;
        controller.enqueue(mebibyte);
      },
    });
    await expect(read(body)).rejects.toThrow(SyntaxError);
    expect(pulls).toBeLessThan(20);
  });

  it("close their body when the reader leaves", async () => {
    let closed = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":1}\n')),
      cancel() {
        closed = true;
      },
    });
    for await (const _ of jsonLines(body)) break;
    expect(closed).toBe(true);
  });

  it("fail with what their body fails with", async () => {
    const broken = new Error("terminated");
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(broken) });
    await expect(read(body)).rejects.toBe(broken);
  });

  it("are the same wherever the bytes are cut, also within characters (PA-15, MSG-10)", {
    timeout: 60_000,
  }, async () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const lines = fc.array(fc.record({ a: text, b: fc.jsonValue({ maxDepth: 2 }) }), { minLength: 1, maxLength: 5 });
    const places = fc.array(fc.nat(200), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(lines, places, fc.constantFrom("\n", "\r\n", "\n\n"), async (values, at, end) => {
        const bytes = new TextEncoder().encode(values.map((value) => JSON.stringify(value) + end).join(""));
        expect(await read(bodyOf(cut(bytes, at)))).toEqual(JSON.parse(JSON.stringify(values)));
      }),
      { numRuns: 1_500, seed: 20 },
    );
  });

  it("are the same at every single place of a cut (PA-15)", async () => {
    const bytes = new TextEncoder().encode('{"a":"你好 👩‍👩‍👧 naïve"}\n{"a":"é"}\n');
    for (let place = 1; place < bytes.length; place++) {
      expect(await read(bodyOf(cut(bytes, [place])))).toEqual([{ a: "你好 👩‍👩‍👧 naïve" }, { a: "é" }]);
    }
  });
});
