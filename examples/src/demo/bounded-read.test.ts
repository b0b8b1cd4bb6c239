import { expect, it, vi } from "vitest";
import { unlessAborted, worksOn } from "./abandon.js";
import { readAtMost } from "./bounded-read.js";

type Reader = Parameters<typeof readAtMost>[0];

function endless(onRead: (read: number) => void = () => {}): Reader {
  let read = 0;
  return {
    read: async (buffer: Buffer, _: number, length: number) => {
      buffer.fill("x", 0, length);
      read += length;
      onRead(read);
      return { bytesRead: length, buffer };
    },
  } as unknown as Reader;
}

it("a file without an end is read one byte past the bound, and no further", async () => {
  let most = 0;
  const bytes = await readAtMost(
    endless((read) => {
      most = read;
    }),
    200_000,
  );
  expect([bytes.length, most]).toEqual([200_001, 200_001]);
});

it("reading stops at the next piece once it is cancelled", async () => {
  const controller = new AbortController();
  let reads = 0;
  const handle = endless(() => {
    if (++reads === 2) controller.abort();
  });
  await expect(readAtMost(handle, 10_000_000, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
  expect(reads).toBe(2);
});

it("a read that hangs is given up when it is cancelled", async () => {
  const controller = new AbortController();
  let finish = (): void => {};
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const waiting = unlessAborted(work, controller.signal);
  controller.abort();
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  expect(worksOn()).toBe(true);
  finish();
  await vi.waitFor(() => expect(worksOn()).toBe(false));
});
