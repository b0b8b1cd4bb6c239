import { assert, assertEqual, assertFails } from "../assert.js";
import { watchedSignal } from "../chat-model/in-progress.js";
import type { Check } from "../check.js";
import type { BlobStoreUnderTest } from "./subject.js";
import { assertBytes, bytesOf, inPieces, joined, KEY, LARGE, readAll, topic } from "./suite.js";

const MOST_PIECE = 1024 * 1024;
const reading = topic("reading blobs");

/** What comes out. */
export const readChecks: readonly Check<BlobStoreUnderTest>[] = [
  reading("gives nothing for a key that has no record", async ({ store }) => {
    assertEqual(await store.getBlob(KEY), undefined, "the blob");
  }),
  reading("gives a blob with its key, version, attributes, time and size", async ({ store }) => {
    const options = { attributes: { type: "application/pdf", pages: 2 } };
    const version = await store.putBlob(KEY, [bytesOf(10), bytesOf(5)], options);
    const { chunks: _, ...facts } = (await store.getBlob(KEY, { end: 3 })) ?? {};
    const updatedAtMs = (await store.get(KEY))?.updatedAtMs;
    assertEqual(
      facts,
      { key: KEY, version, attributes: options.attributes, updatedAtMs, size: 15 },
      "what is told of it",
    );
  }),
  reading("gives the bytes from any place to any other, and none beyond the end", async ({ store }) => {
    await store.putBlob(KEY, inPieces(LARGE, 100_000));
    const size = LARGE.length;
    const ranges: readonly (readonly [number | undefined, number | undefined])[] = [
      [0, 1],
      [1_000_000, 2_500_001],
      [size - 1, undefined],
      [undefined, 10],
      [5, 5],
      [size, undefined],
      [size - 2, size + 100],
      [size + 5, size + 9],
    ];
    for (const [start, end] of ranges) {
      const found = await joined(await store.getBlob(KEY, { start, end }));
      assertBytes(found, LARGE.slice(start ?? 0, end ?? size), `the bytes from ${start} to ${end}`);
    }
  }),
  reading("refuses a range that cannot be", async ({ store }) => {
    await store.putBlob(KEY, [bytesOf(10)]);
    for (const range of [
      { start: -1 },
      { end: 1.5 },
      { start: 5, end: 4 },
      { start: Number.NaN },
      { end: "5" as never },
    ])
      await assertFails(store.getBlob(KEY, range), "invalid_request", `the range ${JSON.stringify(range)}`);
  }),
  reading("refuses to read a record that is not of bytes in pieces", async ({ store }) => {
    await store.put(KEY, { type: "text", text: "x" });
    await assertFails(store.getBlob(KEY), "invalid_request", "a text");
  }),
  reading("gives a large blob in pieces, each for its reader alone", async ({ store }) => {
    await store.putBlob(KEY, [LARGE]);
    for await (const piece of (await store.getBlob(KEY))?.chunks ?? []) {
      assert(piece.length <= MOST_PIECE, `a piece has ${piece.length} bytes, more than 1 MiB`);
      piece.fill(0);
    }
    assertBytes(await readAll(store), LARGE, "the bytes after a reader has changed its own");
  }),
  reading("goes on with the version that it began with, whoever writes or deletes meanwhile", async ({ store }) => {
    for (const change of [() => store.putBlob(KEY, [bytesOf(4, 9)]), () => store.delete(KEY)]) {
      await store.putBlob(KEY, [LARGE]);
      const blob = await store.getBlob(KEY);
      let isFirst = true;
      const chunks = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of blob?.chunks ?? []) {
          if (isFirst) await change();
          isFirst = false;
          yield piece;
        }
      };
      if (blob !== undefined) assertBytes(await joined({ ...blob, chunks: chunks() }), LARGE, "the bytes");
    }
  }),
  reading(
    "says conflict for bytes that were replaced before any was read, and never gives others",
    async ({ store }) => {
      await store.putBlob(KEY, [bytesOf(1_000)]);
      const blob = await store.getBlob(KEY);
      await store.putBlob(KEY, [bytesOf(1_000, 3)]);
      const read = joined(blob).then((bytes) => assertBytes(bytes, bytesOf(1_000), "the bytes"));
      const failure = await read.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) await assertFails(Promise.reject(failure), "conflict", "reading them");
    },
  ),
  reading("can be left at any piece, and leaves no listener on the caller's signal", async ({ store, first }) => {
    const { controller, listeners } = watchedSignal();
    await store.putBlob(KEY, inPieces(LARGE, 500_000), { signal: controller.signal });
    const blob = await store.getBlob(KEY, { signal: controller.signal });
    for await (const piece of blob?.chunks ?? []) if (piece.length > 0) break;
    assertEqual(listeners(), 0, "listeners");
    await first.close?.();
  }),
  reading("stops at the next piece when its signal aborts", async ({ store }) => {
    await store.putBlob(KEY, [LARGE]);
    const controller = new AbortController();
    const blob = await store.getBlob(KEY, { signal: controller.signal });
    const read = async (): Promise<void> => {
      for await (const _ of blob?.chunks ?? []) controller.abort();
    };
    await assertFails(read(), "cancelled", "reading on");
  }),
  reading(
    "fails with store_failed when the store is closed before the end",
    async ({ store, first }) => {
      await store.putBlob(KEY, [LARGE]);
      const blob = await store.getBlob(KEY);
      const read = async (): Promise<void> => {
        for await (const _ of blob?.chunks ?? []) await first.close?.();
      };
      await assertFails(read(), "store_failed", "reading on");
      await assertFails(store.getBlob(KEY), "store_failed", "getBlob");
      await assertFails(store.putBlob(KEY, [bytesOf(1)]), "store_failed", "putBlob");
    },
    { needs: ["close"] },
  ),
  reading(
    "still has every byte when the place is opened again",
    async ({ store, reopen }) => {
      await store.putBlob(KEY, inPieces(LARGE, 70_001), { attributes: { n: 1 } });
      const again = (await reopen()).store;
      assertBytes(await readAll(again), LARGE, "the bytes");
      assertEqual((await again.getBlob(KEY))?.attributes, { n: 1 }, "the attributes");
    },
    { needs: ["durable"] },
  ),
];
