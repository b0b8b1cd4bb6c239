import { describe, expect, test } from "vitest";
import { streamOf, thrownBy, toArray } from "../../test/support.js";
import { TinyAgentsError } from "../errors.js";
import { checkedStream, corruptStream, streamFault } from "./checked-stream.js";
import type { ModelDelta } from "./delta.js";

const said = (text: string): ModelDelta => ({ type: "text", index: 0, text });
const refuse = (fault: string, delta?: number) => corruptStream("mock/one", fault, delta);

/** A stream that notes how it is left. */
function left(deltas: readonly unknown[], onReturn: () => unknown = () => undefined) {
  const seen = { returns: 0, asked: 0 };
  const rest = deltas.slice();
  const iterator: AsyncIterator<ModelDelta> = {
    next: async () => {
      seen.asked++;
      return rest.length === 0 ? { value: undefined, done: true } : { value: rest.shift() as ModelDelta, done: false };
    },
    return: async () => {
      seen.returns++;
      await onReturn();
      return { value: undefined, done: true };
    },
  };
  return { seen, stream: { [Symbol.asyncIterator]: () => iterator } };
}

describe("a stream whose fragments are looked at", () => {
  test("gives them as they are, and ends where it ended", async () => {
    const deltas = [said("a"), said("b")];
    expect(await toArray(checkedStream(streamOf(...deltas), refuse))).toEqual(deltas);
  });

  test("ends at the first that is none: who made it is named, and its source is left", async () => {
    const { seen, stream } = left([said("a"), null, said("b")]);
    const error = await thrownBy(() => toArray(checkedStream(stream, refuse)));
    expect(error).toMatchObject({
      code: "corrupt_data",
      details: { place: "the stream of mock/one, delta 2", reason: "it is null, and no fragment" },
    });
    expect(seen).toEqual({ returns: 1, asked: 2 });
  });

  test("tells what was wrong with a fragment, not what went wrong in leaving its source", async () => {
    const { stream } = left([5], () => {
      throw new Error("stuck");
    });
    await expect(checkedStream(stream, refuse).next()).rejects.toMatchObject({ code: "corrupt_data" });
  });

  test("is left when its reader leaves", async () => {
    const { seen, stream } = left([said("a"), said("b")]);
    for await (const _ of checkedStream(stream, refuse)) break;
    expect(seen.returns).toBe(1);
  });

  test("passes failures of its source on", async () => {
    const error = new TinyAgentsError("network", "reset", { details: {} });
    async function* failing(): AsyncGenerator<ModelDelta> {
      yield said("a");
      throw error;
    }
    expect(await thrownBy(() => toArray(checkedStream(failing(), refuse)))).toBe(error);
  });

  test.each<[unknown, string]>([
    [undefined, "an async iterable is expected, nothing found"],
    [null, "an async iterable is expected, null found"],
    [[], "an async iterable is expected, an array found"],
    [Promise.resolve(), "an async iterable is expected, an object found"],
    [{ [Symbol.asyncIterator]: 5 }, "an async iterable is expected, an object found"],
  ])("is none when nothing can be read from it (%#)", (source, fault) => {
    expect(streamFault(source)).toBe(fault);
    expect(() => checkedStream(source as AsyncIterable<ModelDelta>, refuse)).toThrow(fault);
  });

  test("may have an iterator that answers at once, and none that answers nothing", async () => {
    const of = (result: unknown) =>
      checkedStream({ [Symbol.asyncIterator]: () => ({ next: () => result }) } as AsyncIterable<ModelDelta>, refuse);
    expect(await of({ value: said("a"), done: false }).next()).toEqual({ value: said("a"), done: false });
    await expect(of(undefined).next()).rejects.toThrow("its reader was given nothing");
  });

  test("waits for its companion before it asks its source", async () => {
    const { seen, stream } = left([said("a")]);
    let go = (): void => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const pending = checkedStream(stream, refuse, { due: () => gate, over: () => {} }).next();
    expect(seen.asked).toBe(0);
    go();
    expect(await pending).toEqual({ value: said("a"), done: false });
  });

  test.each<[string, () => AsyncIterable<ModelDelta>, number]>([
    ["has ended", () => left([said("a")]).stream, 2],
    ["has failed", () => failingStream(), 1],
    ["is left at what is no fragment", () => left([null]).stream, 1],
  ])("tells its companion when its source %s", async (_, source, reads) => {
    let over = 0;
    const stream = checkedStream(source(), refuse, { due: () => undefined, over: () => over++ });
    for (let read = 1; read <= reads; read++) {
      expect(over).toBe(0);
      await stream.next().catch(() => undefined);
    }
    expect(over).toBe(1);
  });

  test("tells its companion that its source was left when it has been", async () => {
    let over = 0;
    let atReturn: number | undefined;
    const { stream } = left([said("a")], () => {
      atReturn = over;
    });
    const checked = checkedStream(stream, refuse, { due: () => undefined, over: () => over++ });
    await checked.return?.();
    expect([atReturn, over]).toEqual([0, 1]);
  });
});

function failingStream(): AsyncIterable<ModelDelta> {
  const next = (): never => {
    throw new Error("no more");
  };
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
