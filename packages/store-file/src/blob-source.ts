import { abortError, type BlobSource, invalidArgument, onAbort } from "@tinyagents/core";

/**
 * The pieces of a source, checked. A source that is waited for is left when the signal aborts, and told to stop whatever
 * ends the reading early.
 * @throws what the source throws, which `onFailure` is told before, `invalid_request` for a piece that is not of bytes, and the reason of the signal.
 */
export async function* piecesOfSource(
  source: BlobSource,
  signal: AbortSignal | undefined,
  onFailure: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  const iterator = iteratorOf(source);
  let isOver = false;
  try {
    for (;;) {
      const next = await untilAborted(nextOf(iterator, onFailure), signal);
      if (next.done === true) {
        isOver = true;
        return;
      }
      if (Object.prototype.toString.call(next.value) !== "[object Uint8Array]")
        throw invalidArgument("chunks", "each is expected to be a Uint8Array");
      yield next.value;
    }
  } finally {
    // Not waited for: one that does not answer would not answer to this either.
    if (!isOver) tellToStop(iterator);
  }
}

/** @throws `invalid_request` for what cannot be iterated over. */
export function checkSource(source: BlobSource): void {
  const isIterable = typeof source === "object" && source !== null;
  if (isIterable && (Symbol.asyncIterator in source || Symbol.iterator in source)) return;
  throw invalidArgument("chunks", "an iterable of Uint8Array is expected");
}

type AnyIterator = AsyncIterator<Uint8Array> | Iterator<Uint8Array>;

function iteratorOf(source: BlobSource): AnyIterator {
  return Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
}

async function nextOf(iterator: AnyIterator, onFailure: (error: unknown) => void): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(abortError(signal)));
    work.then(resolve, reject).finally(unlink);
  });
}

function tellToStop(iterator: AnyIterator): void {
  try {
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  } catch {
    // What ended the reading is what counts.
  }
}
