import { describe, expect, test } from "vitest";
import { byBackend, byStatements, listingAmong } from "./store-sqlite-workload.js";

describe.each([
  ["the backend", byBackend],
  ["statements", byStatements],
])("%s", (_, create) => {
  test("writes records, and reads back every event that it wrote", async () => {
    const who = create("normal");
    await who.put(1);
    await who.append(0);
    await who.append(1);
    await who.fill(2_000);
    expect(await who.readBack()).toBe(2_000);
    await who.close();
  });
});

test("the listing that is measured gives its page, whatever is beside it", async () => {
  const listing = await listingAmong(1_000);
  expect(await listing.list()).toBe(100);
  await listing.close();
});
