import {
  type CheckedBlobRange,
  invalidArgument,
  recordName,
  type StoreCallOptions,
  type StoredBlob,
  type StoreGate,
  writeConflict,
} from "@tinyagents/core";
import { readPieces } from "./content.js";
import type { OpenRecord } from "./record-folder.js";
import type { Records } from "./records.js";

/** The blobs that are being read, so that closing ends them. */
export class BlobReads {
  readonly #gate: StoreGate;
  readonly #open = new Set<OpenRecord>();

  constructor(gate: StoreGate) {
    this.#gate = gate;
  }

  /** @throws `invalid_request` for a record that is not of bytes. */
  blob(
    records: Records,
    { head, version }: OpenRecord,
    range: CheckedBlobRange,
    options: StoreCallOptions | undefined,
  ): StoredBlob {
    const { key, attributes, updatedAtMs, size, type } = head;
    if (type !== "bytes")
      throw invalidArgument("key", `${recordName(key)} is of ${type}, not of bytes; read it with get`);
    const part = { start: Math.min(range.start, size), end: Math.min(range.end, size) };
    const facts = { key, version, attributes, updatedAtMs, size };
    return { ...facts, chunks: this.#chunks(records, facts, part, options) };
  }

  /** Lets go of what is open. Whoever reads on learns that the store is closed. */
  async close(): Promise<void> {
    const open = [...this.#open];
    this.#open.clear();
    await Promise.all(open.map(({ file }) => file.close()));
  }

  async *#chunks(
    records: Records,
    { key, version }: Pick<StoredBlob, "key" | "version">,
    range: CheckedBlobRange,
    options: StoreCallOptions | undefined,
  ): AsyncGenerator<Uint8Array> {
    const record = await this.#gate.run("getBlob", options, async () => {
      const opened = await records.openVersion(key, version);
      if ("found" in opened) throw writeConflict(recordName(key), version, opened.found);
      this.#open.add(opened);
      return opened;
    });
    try {
      const pieces = readPieces(record.file, record.head, record.place, range);
      for (;;) {
        const next = await this.#gate.run("getBlob", options, () => pieces.next());
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      if (this.#open.delete(record)) await record.file.close();
    }
  }
}
