import { assert, assertEqual, assertFails } from "../assert.js";
import type { Check } from "../check.js";
import type { BlobStoreUnderTest } from "./subject.js";
import { assertBytes, bytesOf, inPieces, KEY, readAll, topic } from "./suite.js";

const writing = topic("writing blobs");
const BEFORE = bytesOf(100, 1);

/** What goes in. */
export const writeChecks: readonly Check<BlobStoreUnderTest>[] = [
  writing("keeps the same bytes however they are cut into pieces", async ({ store }) => {
    const bytes = bytesOf(10_000);
    const cuts: readonly (readonly [string, Iterable<Uint8Array> | AsyncIterable<Uint8Array>])[] = [
      ["one piece", [bytes]],
      ["pieces of 7 bytes", inPieces(bytes, 7)],
      ["empty pieces among others", [new Uint8Array(), bytes.slice(0, 9), new Uint8Array(), bytes.slice(9)]],
      ["windows on a larger buffer", [new Uint8Array(bytes.buffer, 0, 5), new Uint8Array(bytes.buffer, 5)]],
    ];
    for (const [name, pieces] of cuts) {
      await store.putBlob([name], pieces);
      assertBytes(await readAll(store, [name]), bytes, name);
    }
    for (const [name, pieces] of [["no piece", []] as const, ["an empty piece", [new Uint8Array()]] as const]) {
      await store.putBlob([name], pieces);
      assertEqual((await store.getBlob([name]))?.size, 0, `the size of ${name}`);
      assertBytes(await readAll(store, [name]), new Uint8Array(), name);
    }
  }),
  writing("keeps a blob as a record like others", async ({ store }) => {
    const version = await store.putBlob(KEY, inPieces(BEFORE, 30), { attributes: { kind: "report" } });
    const record = await store.get(KEY);
    assertEqual([record?.version, record?.attributes], [version, { kind: "report" }], "what get tells of it");
    assert(record?.value.type === "bytes", "a value of bytes is expected");
    assertBytes(record.value.bytes, BEFORE, "the bytes that get gives");
    const listed = await store.list({ prefix: ["reports"], where: { kind: "report" } });
    assertEqual(
      listed.items.map((one) => one.version),
      [version],
      "what is listed",
    );
    const second = await store.put(KEY, { type: "bytes", bytes: bytesOf(5) }, { ifVersion: version });
    assertEqual((await store.getBlob(KEY))?.version, second, "the version after a put");
    assertBytes(await readAll(store), bytesOf(5), "the bytes after a put");
    assertEqual(await store.delete(KEY), true, "deleting it");
    assertEqual(await store.getBlob(KEY), undefined, "the blob that was deleted");
  }),
  writing("leaves a record as it is until the last piece has come", async ({ store }) => {
    const before = await store.putBlob(KEY, [BEFORE]);
    const seen: unknown[] = [];
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (const seed of [1, 2, 3]) {
        yield bytesOf(300_000, seed);
        seen.push((await store.get(KEY))?.version, (await store.get(["new"]))?.version);
      }
    };
    const after = await store.putBlob(KEY, pieces());
    await store.putBlob(["new"], pieces());
    const [old, none] = [
      [before, undefined],
      [after, undefined],
    ];
    assertEqual(seen, [...old, ...old, ...old, ...none, ...none, ...none], "the versions that were seen meanwhile");
    assertEqual((await store.getBlob(KEY))?.size, 900_000, "the size");
  }),
  writing("writes nothing when its source fails, and throws what that threw", async ({ store }) => {
    const version = await store.putBlob(KEY, [BEFORE]);
    const failure = new Error("the network is gone");
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      yield bytesOf(500_000);
      throw failure;
    };
    for (const key of [KEY, ["new"]]) {
      const found = await store.putBlob(key, pieces()).catch((error: unknown) => error);
      assert(found === failure, `the source's own error is expected, ${String(found)} found`);
    }
    assertEqual((await store.get(KEY))?.version, version, "the version");
    assertEqual(await store.get(["new"]), undefined, "the record that was to be made");
  }),
  writing("refuses a piece that is not of bytes, stops its source, and writes nothing", async ({ store }) => {
    for (const wrong of ["text", [1, 2], undefined, new ArrayBuffer(2)]) {
      let isStopped = false;
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        try {
          yield bytesOf(10);
          yield wrong as never;
        } finally {
          isStopped = true;
        }
      };
      await assertFails(store.putBlob(KEY, pieces()), "invalid_request", `a piece of ${JSON.stringify(wrong)}`);
      assert(isStopped, "the source was not told to stop");
    }
    for (const wrong of [undefined, 5, {}])
      await assertFails(store.putBlob(KEY, wrong as never), "invalid_request", "what is no source of pieces");
    assertEqual(await store.get(KEY), undefined, "the record");
  }),
  writing("takes no piece when its condition does not hold at the beginning", async ({ store }) => {
    await store.putBlob(KEY, [BEFORE]);
    let taken = 0;
    const pieces = function* (): Generator<Uint8Array> {
      taken++;
      yield bytesOf(10);
    };
    for (const ifVersion of ["no such", null])
      await assertFails(store.putBlob(KEY, pieces(), { ifVersion }), "conflict", `ifVersion ${ifVersion}`);
    assertEqual(taken, 0, "how many pieces were taken");
  }),
  writing("says conflict when somebody else wrote while its pieces came", async ({ store }) => {
    const version = await store.putBlob(KEY, [BEFORE]);
    for (const [key, ifVersion] of [[KEY, version] as const, [["new"], null] as const]) {
      const pieces = async function* (): AsyncGenerator<Uint8Array> {
        yield bytesOf(10);
        await store.put(key, { type: "text", text: "faster" });
        yield bytesOf(10);
      };
      await assertFails(store.putBlob(key, pieces(), { ifVersion }), "conflict", "the slower one");
      assertEqual((await store.get(key))?.value, { type: "text", text: "faster" }, "the record");
    }
  }),
  writing("asks for a piece only when the one before was taken, one at a time", async ({ store }) => {
    let waiting = 0;
    let most = 0;
    let count = 0;
    const source: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          most = Math.max(most, ++waiting);
          await new Promise((resolve) => setTimeout(resolve, 0));
          waiting--;
          return count++ < 20 ? { done: false, value: bytesOf(1_000, count) } : { done: true, value: undefined };
        },
      }),
    };
    await store.putBlob(KEY, source);
    assertEqual(most, 1, "how many pieces were asked for at once");
    assertEqual((await store.getBlob(KEY))?.size, 20_000, "the size");
  }),
  writing("leaves a source that it waits for when it is cancelled, and writes nothing", async ({ store }) => {
    const version = await store.putBlob(KEY, [BEFORE]);
    const controller = new AbortController();
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      yield bytesOf(10);
      controller.abort();
      await new Promise(() => undefined);
    };
    await assertFails(store.putBlob(KEY, pieces(), { signal: controller.signal }), "cancelled", "the write");
    assertEqual((await store.get(KEY))?.version, version, "the version");
  }),
];
