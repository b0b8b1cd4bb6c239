import { createHash } from "node:crypto";
import {
  type CheckedAppend,
  canonicalJson,
  invalidArgument,
  isTinyAgentsError,
  otherValuesUnderKey,
  storeFailure,
  systemClock,
  systemRandom,
  throwIfAborted,
  writeConflict,
} from "@tinyagents/core";
import { placeBody } from "./body.js";
import type { WrittenChunks } from "./chunks.js";
import { type Fields, isDuplicate } from "./driver.js";
import { idOfKey, readCount, readText } from "./fields.js";
import { dropIncarnation } from "./log-cleaning.js";
import { appendUnderKey } from "./log-reads.js";
import type { Place } from "./place.js";
import { StreamCache } from "./stream-cache.js";
import {
  type AppendFields,
  appendId,
  endOf,
  keyPlace,
  readStreamState,
  type StreamState,
  streamPlace,
} from "./stream-document.js";

/** Others who append to the stream go first, at most so often. */
const MOST_TRIES = 1_000;
const LONGEST_WAIT_MS = 50;
/** Names and keys are in documents and their `_id`s beside the values. */
const MOST_NAME_BYTES = 128 * 1024;

/** An append whose values are written to where they belong. Where it stands in its stream is decided last. */
interface PlacedAppend {
  readonly checked: CheckedAppend;
  readonly fields: Fields;
  readonly chunks?: WrittenChunks;
}

/** Appends, each in one step at the document of its stream. */
export class LogWrites {
  readonly #place: Place;
  readonly #cache = new StreamCache();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Appends of one process to one stream wait for each other; those of several meet at the document. */
  append(checked: CheckedAppend, signal: AbortSignal | undefined): Promise<number> {
    checkSize("stream", checked.stream);
    checkSize("idempotencyKey", checked.idempotencyKey ?? "");
    return this.#cache.inTurn(checked.stream, async () => {
      throwIfAborted(signal);
      const id = idOfKey([checked.stream]);
      const placed = await this.#placeValues(checked, id, signal);
      try {
        return await this.#appendPlaced(placed, id, signal);
      } catch (error) {
        this.#cache.forget(id);
        // What is ours was decided before anything was done; of what the driver throws nobody knows.
        if (placed.chunks && isTinyAgentsError(error)) await this.#discard(placed.chunks);
        throw error;
      }
    });
  }

  forget(stream: string): void {
    this.#cache.forget(idOfKey([stream]));
  }

  async #placeValues(checked: CheckedAppend, id: string, signal: AbortSignal | undefined): Promise<PlacedAppend> {
    const { chunks, chunkBytes } = this.#place;
    const { idempotencyKey, values } = checked;
    const body = await placeBody(JSON.stringify(values), chunkBytes, (bytes) =>
      chunks.write(bytes, { type: "append", place: id }, undefined, () => throwIfAborted(signal)),
    );
    const key =
      idempotencyKey === undefined ? {} : { idempotencyKey: JSON.stringify(idempotencyKey), hash: hashOf(checked) };
    const fields = { count: values.length, ...key, ...body.fields };
    return { checked, fields, ...(body.chunks && { chunks: body.chunks }) };
  }

  async #appendPlaced(placed: PlacedAppend, id: string, signal: AbortSignal | undefined): Promise<number> {
    const { checked, chunks } = placed;
    let known = this.#cache.get(id);
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const state = known ?? (await this.#read(id, checked.stream));
      const earlier = state && (await this.#offsetUnderKey(state, checked));
      if (earlier !== undefined) {
        if (chunks) await this.#discard(chunks);
        return earlier;
      }
      const head = state?.head ?? 0;
      const isExpected = checked.expectedOffset === undefined || checked.expectedOffset === head;
      if (!isExpected && known === undefined)
        throw writeConflict(`stream "${checked.stream}"`, checked.expectedOffset as number, head);
      throwIfAborted(signal);
      chunks?.checkFresh();
      if (isExpected && (await this.#commit(state, id, placed, head))) return head;
      if (known === undefined) await systemClock.sleep(systemRandom() * Math.min(LONGEST_WAIT_MS, tries + 1), signal);
      known = undefined;
    }
    throw storeFailure("MongoDB log", "append", "others append to the stream all the time", { retryable: true });
  }

  /** The one step. False when somebody else was first. */
  async #commit(state: StreamState | undefined, id: string, { fields }: PlacedAppend, first: number): Promise<boolean> {
    const { streams } = this.#place.collections;
    const last = { first, ...fields } as AppendFields;
    const head = endOf(last);
    if (state === undefined) {
      const incarnation = this.#place.ids.next("stream");
      try {
        await streams.insertOne({ _id: id, incarnation, start: 0, head, last });
      } catch (error) {
        if (isDuplicate(error)) return false;
        throw error;
      }
      this.#cache.set({ id, incarnation, start: 0, head, last });
      return true;
    }
    const { incarnation, start } = state;
    await this.#copyLast(state);
    const { matchedCount } = await streams.updateOne({ _id: id, incarnation, head: first }, { $set: { head, last } });
    if (matchedCount === 1) this.#cache.set({ id, incarnation, start, head, last });
    else await this.#tidy(state);
    return matchedCount === 1;
  }

  /** Copies the last append among the others. Somebody may have done so before: it is the same. */
  async #copyLast({ incarnation, start, last }: StreamState): Promise<void> {
    const { appends, keys } = this.#place.collections;
    const inserts: Promise<unknown>[] = [];
    if (endOf(last) > start)
      inserts.push(appends.insertOne({ _id: appendId(incarnation, endOf(last) - 1), ...last }).catch(unlessDuplicate));
    if (last.idempotencyKey !== undefined) {
      const { first, hash } = last;
      inserts.push(
        keys.insertOne({ _id: `${incarnation}/${last.idempotencyKey}`, first, hash }).catch(unlessDuplicate),
      );
    }
    await Promise.all(inserts);
  }

  /** The stream of a copy may have been taken away while it was made. */
  async #tidy({ id, incarnation }: StreamState): Promise<void> {
    const found = (await this.#place.collections.streams.findOne({ _id: id })) as Fields | null;
    if (found?.incarnation !== incarnation) await dropIncarnation(this.#place, incarnation);
  }

  async #read(id: string, stream: string): Promise<StreamState | undefined> {
    const found = await this.#place.collections.streams.findOne({ _id: id });
    return found === null ? undefined : readStreamState(found, id, streamPlace(stream));
  }

  /** Where the values of an append stand that has come before. @throws `invalid_request` when they were others. */
  async #offsetUnderKey(state: StreamState, checked: CheckedAppend): Promise<number | undefined> {
    const key = checked.idempotencyKey;
    const found = key === undefined ? undefined : await appendUnderKey(this.#place, state, key);
    if (key === undefined || found === undefined) return undefined;
    const place = keyPlace(checked.stream, key);
    if (readText(found.hash, `${place}.hash`) !== hashOf(checked)) throw otherValuesUnderKey(checked);
    return readCount(found.first, `${place}.first`);
  }

  async #discard({ reference }: WrittenChunks): Promise<void> {
    await Promise.allSettled([this.#place.chunks.remove(reference.owner)]);
  }
}

function hashOf({ values }: CheckedAppend): string {
  return createHash("sha256").update(canonicalJson(values)).digest("base64");
}

function unlessDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error;
}

function checkSize(place: string, text: string): void {
  const size = Buffer.byteLength(text);
  if (size > MOST_NAME_BYTES)
    throw invalidArgument(place, `a text of at most ${MOST_NAME_BYTES} bytes is expected, one of ${size} given`);
}
