import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addMoney, callCost, costOf, type ModelPrice, readMoney } from "./cost.js";
import type { Usage } from "./usage.js";

const price: ModelPrice = {
  currency: "USD",
  inputPerMillion: "3.00",
  outputPerMillion: "15",
  cachedInputPerMillion: "0.30",
  cacheWritePerMillion: "3.75",
};

const usage = (inputTokens: number, outputTokens: number, rest: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  source: "reported",
  ...rest,
});

describe("the cost of a call (OB-01)", () => {
  test.each([
    // 1,000 x 3 + 500 x 15 = 10,500 per million.
    [usage(1_000, 500), "0.0105"],
    // 700 plain x 3 + 200 read x 0.3 + 100 written x 3.75 + 50 x 15 = 2,100 + 60 + 375 + 750.
    [usage(1_000, 50, { cachedInputTokens: 200, cacheWriteTokens: 100 }), "0.003285"],
    // 1 x 0.3 per million.
    [usage(1, 0, { cachedInputTokens: 1 }), "0.0000003"],
    // Reasoning is part of the output and is not billed again: 10 x 15.
    [usage(0, 10, { reasoningTokens: 8 }), "0.00015"],
    [usage(0, 0), "0"],
    [usage(1_000_000, 1_000_000), "18"],
  ])("is the sum over disjoint classes, to the last digit: %j", (used, amount) => {
    expect(costOf(used, price)).toEqual({ amount, currency: "USD" });
  });

  test("charges a class without a price of its own as input", () => {
    const plain: ModelPrice = { currency: "EUR", inputPerMillion: "2", outputPerMillion: "8" };
    const used = usage(100, 0, { cachedInputTokens: 40, cacheWriteTokens: 60 });
    expect(costOf(used, plain)).toEqual({ amount: "0.0002", currency: "EUR" });
  });

  test("never counts less than nothing when a server's classes exceed their total", () => {
    expect(costOf(usage(10, 0, { cachedInputTokens: 20 }), price)?.amount).toBe("0.000006");
  });

  test("is not known when the usage is not (never free)", () => {
    expect(costOf(undefined, price)).toBeUndefined();
    expect(costOf({ inputTokens: 5, source: "reported" }, price)).toBeUndefined();
    expect(costOf({ outputTokens: 5, source: "reported" }, price)).toBeUndefined();
  });

  test("is exact for prices of twelve decimals", () => {
    const tiny: ModelPrice = { currency: "USD", inputPerMillion: "0.000000000001", outputPerMillion: "0" };
    expect(costOf(usage(1, 0), tiny)?.amount).toBe("0.000000000000000001");
    expect(costOf(usage(9_007_199_254_740_991, 0), { ...tiny, inputPerMillion: "1.5" })?.amount).toBe(
      "13510798882.1114865",
    );
  });

  test("is the same by integers for any counts", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.nat(), fc.nat({ max: 99_999 }), (plain, cached, output, cents) => {
        const inputPerMillion = `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
        const used = usage(plain + cached, output, { cachedInputTokens: cached });
        const cost = costOf(used, { ...price, inputPerMillion, cachedInputPerMillion: "0", outputPerMillion: "1" });
        const [whole = "", fraction = ""] = (cost?.amount ?? "").split(".");
        const units = BigInt(whole + fraction.padEnd(8, "0"));
        expect(units).toBe(BigInt(plain) * BigInt(cents) + BigInt(output) * 100n);
      }),
    );
  });
});

describe("what a call cost (CST-05)", () => {
  const charged = { amount: "0.02", currency: "USD" };

  test("is what the provider charged, with the estimate beside it and never in its place", () => {
    expect(callCost(usage(1_000, 500, { charged }), price)).toEqual({
      amount: "0.02",
      currency: "USD",
      source: "charged",
      estimate: { amount: "0.0105", currency: "USD" },
    });
  });

  test("is what was charged where there is no price, and where the tokens are not known", () => {
    const cost = { amount: "0.02", currency: "USD", source: "charged" };
    expect(callCost(usage(1, 1, { charged }), undefined)).toEqual(cost);
    expect(callCost({ source: "reported", charged }, price)).toEqual(cost);
  });

  test("is an estimate by its price where no charge was told", () => {
    expect(callCost(usage(1_000, 500), price)).toEqual({ amount: "0.0105", currency: "USD", source: "estimated" });
  });

  test("is not known without either, and never zero (CST-06)", () => {
    expect(callCost(usage(1, 1), undefined)).toBeUndefined();
    expect(callCost(undefined, price)).toBeUndefined();
  });

  test("of a call that was free is a charge of nothing", () => {
    const free = { amount: "0", currency: "USD" };
    expect(callCost(usage(1, 1, { charged: free }), price)).toMatchObject({ amount: "0", source: "charged" });
  });

  test("cannot be had from a price without a currency", () => {
    const nowhere = { ...price, currency: undefined } as unknown as ModelPrice;
    expect(() => callCost(usage(1, 1), nowhere)).toThrow(TypeError);
  });
});

describe("an amount that somebody else told", () => {
  test("is read in its shortest form", () => {
    expect(readMoney({ amount: "007.500", currency: "EUR" })).toEqual({ amount: "7.5", currency: "EUR" });
  });

  test("is none without a currency of three letters, or with more digits than an amount has", () => {
    for (const told of [
      null,
      "1",
      { amount: "1", currency: "EURO" },
      { amount: "1", currency: 978 },
      { amount: "1".repeat(16), currency: "EUR" },
      { amount: `0.${"1".repeat(19)}`, currency: "EUR" },
    ]) {
      expect(readMoney(told)).toBeUndefined();
    }
  });
});

describe("sums of money", () => {
  const usd = (amount: string) => ({ amount, currency: "USD" });

  test.each([
    ["0.1", "0.2", "0.3"],
    ["1", "2", "3"],
    ["0.000000000000000001", "999999999999", "999999999999.000000000000000001"],
    ["-0.5", "0.25", "-0.25"],
    ["-1.5", "1.5", "0"],
    ["-0.000000000000000001", "0", "-0.000000000000000001"],
    ["10", "0.50", "10.5"],
  ])("are exact: %s + %s = %s", (one, other, sum) => {
    expect(addMoney(usd(one), usd(other))).toEqual(usd(sum));
  });

  test("do not depend on their order", () => {
    const amounts = fc.array(
      fc.nat({ max: 10 ** 9 }).map((n) => usd(`${n}.${n}`)),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(amounts, (list) => {
        expect(list.reduce(addMoney, usd("0"))).toEqual(list.toReversed().reduce(addMoney, usd("0")));
      }),
    );
  });

  test("of different currencies are a mistake", () => {
    expect(() => addMoney(usd("1"), { amount: "1", currency: "EUR" })).toThrow("cannot add EUR to USD");
  });

  test.each([["1e3"], [""], ["1."], [".5"], ["1,5"], ["0x1"], ["1.0000000000000000001"], ["--1"], [" 1"]])(
    "refuse what is no decimal number: %j",
    (amount) => {
      expect(() => addMoney(usd(amount), usd("1"))).toThrow(TypeError);
    },
  );
});
