import { type Clock, corruptData, type IdSource, TinyAgentsError } from "@tinyagents/core";
import type { Collections } from "./collections.js";
import type { Fields } from "./driver.js";
import { orderedNumber, readBinary, readCount, readFields, readText } from "./fields.js";

/** How a document tells where its body is. */
export interface ChunkReference {
  readonly owner: string;
  /** Size of the whole, bytes. */
  readonly bytes: number;
}

/** Who will refer to chunks: a record by its `_id`, an append by the `_id` of its stream. */
export interface ChunkUse {
  readonly type: "record" | "append";
  readonly place: string;
}

/** Chunks that are written, and to which nothing refers yet. */
export interface WrittenChunks {
  readonly reference: ChunkReference;
  /** @throws `store_failed` when so much time has passed that somebody may have taken them for left behind. */
  checkFresh(): void;
}

/** After so long what nobody has ended is taken for left behind, ms. A writer gives up after half of it. */
export const LEFT_BEHIND_MS: number = 24 * 3_600_000;

/**
 * Bodies that are too large for a document, in pieces. They are written before anything refers to them, and taken away
 * after nothing does. Their owner is noted before the first and after the last, so that what a killed process leaves is found.
 */
export class Chunks {
  readonly #collections: Collections;
  readonly #chunkBytes: number;
  readonly #ids: IdSource;
  readonly #clock: Clock;

  constructor(collections: Collections, chunkBytes: number, ids: IdSource, clock: Clock) {
    this.#collections = collections;
    this.#chunkBytes = chunkBytes;
    this.#ids = ids;
    this.#clock = clock;
  }

  /** @param check runs before each piece, and throws to stop. */
  async write(bytes: Uint8Array, use: ChunkUse, removeAt: Date | undefined, check: () => void): Promise<WrittenChunks> {
    const owner = this.#ids.next("chunks");
    const begunMs = this.#clock.now();
    await this.#note(owner, use);
    try {
      for (let at = 0, index = 0; at < bytes.length; at += this.#chunkBytes, index++) {
        check();
        const data = bytes.subarray(at, at + this.#chunkBytes);
        const expiry = removeAt === undefined ? {} : { removeAt };
        await this.#collections.chunks.insertOne({ _id: `${owner}/${orderedNumber(index)}`, data, ...expiry });
      }
    } catch (error) {
      await Promise.allSettled([this.remove(owner)]);
      throw error;
    }
    const checkFresh = (): void => {
      if (this.#clock.now() - begunMs < LEFT_BEHIND_MS / 2) return;
      const details = { store: "MongoDB store", operation: "write" };
      const message = "Writing a large value took too long; nothing was changed. Write it again.";
      throw new TinyAgentsError("store_failed", message, { details, retryable: true });
    };
    return { reference: { owner, bytes: bytes.length }, checkFresh };
  }

  /** The whole body, or nothing when a piece is not there: somebody may have taken it away meanwhile. */
  async read({ owner, bytes }: ChunkReference, place: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const body = new Uint8Array(bytes);
    let at = 0;
    const filter = { _id: { $gte: `${owner}/`, $lt: `${owner}0` } };
    for await (const found of this.#collections.chunks.find(filter, { signal }).sort({ _id: 1 })) {
      const data = readBinary(readFields(found, place).data, `${place}.chunks`);
      if (at + data.length > bytes) throw corruptData(`${place}.chunks`, `more than its ${bytes} bytes are there`);
      body.set(data, at);
      at += data.length;
    }
    return at === bytes ? body : undefined;
  }

  /** Takes away chunks to which nothing refers. */
  async remove(owner: string): Promise<void> {
    await this.#collections.chunks.deleteMany({ _id: { $gte: `${owner}/`, $lt: `${owner}0` } });
    await this.#collections.owners.deleteOne({ _id: owner });
  }

  async #note(owner: string, { type, place }: ChunkUse): Promise<void> {
    await this.#collections.owners.insertOne({ _id: owner, type, place, seenAtMs: this.#clock.now() });
  }
}

/** @throws `corrupt_data` */
export function readReference(value: unknown, place: string): ChunkReference {
  const { owner, bytes } = readFields(value, `${place}.chunks`);
  return { owner: readText(owner, `${place}.chunks.owner`), bytes: readCount(bytes, `${place}.chunks.bytes`) };
}

/** The owner of the chunks to which a document refers, if it does. */
export function ownerOf(document: unknown): string | undefined {
  const chunks = (document as Fields | null | undefined)?.chunks as Fields | undefined;
  return typeof chunks?.owner === "string" ? chunks.owner : undefined;
}
