import type { ModelDelta } from "../src/model/delta.js";
import type { ResolvedModel } from "../src/model/profile.js";

/** The model that tests ask. */
export const model: ResolvedModel = { id: "mock/one", provider: "mock", model: "one" };

/** What a model would stream. */
export async function* streamOf<T = ModelDelta>(...items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield item;
}

/** Everything that a stream gives. */
export async function toArray<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** What a piece of work throws; fails when it throws nothing. */
export async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
