import { isTinyAgentsError, messageOf, TinyAgentsError } from "../errors.js";
import type { ResolvedModel } from "./profile.js";
import type { Usage } from "./usage.js";

/** An exact amount of money. */
export interface Money {
  /** A decimal number: `0.0123`. A text, since sums of binary fractions drift. */
  readonly amount: string;
  /** ISO 4217: `USD`. */
  readonly currency: string;
}

/** What a model costs per million tokens. A class without a price of its own costs what its total costs. */
export interface ModelPrice {
  readonly currency: string;
  /** Decimal numbers, as `2.50`. */
  readonly inputPerMillion: string;
  readonly outputPerMillion: string;
  readonly cachedInputPerMillion?: string;
  readonly cacheWritePerMillion?: string;
}

/** Where prices come from. Adapters know none. */
export interface PriceSource {
  /** The price of a model; nothing when it is not known, and then its calls are unpriced, never free. */
  priceOf(model: ResolvedModel): ModelPrice | undefined;
}

/** What one call cost. */
export interface CallCost extends Money {
  /** `charged`: the provider said so. `estimated`: its tokens by their prices. */
  readonly source: "charged" | "estimated";
  /** What prices say of a call whose charge is known, where they say anything: beside the charge, never in its place. */
  readonly estimate?: Money;
}

/** The cost of a run so far: `amount` is `charged` and `estimated` together. */
export interface CostTotals extends Money {
  /** What providers said that they charged. A decimal number, like `estimated`. */
  readonly charged: string;
  /** What the other calls cost by their prices. */
  readonly estimated: string;
  /** Model calls that have no price, or no known usage: the true cost is higher by theirs. */
  readonly unpricedCalls: number;
}

/**
 * What one call costs by a price: a sum over disjoint classes of tokens. Nothing when its usage is not known.
 * @throws TypeError for a price that has no currency, or is no decimal number.
 */
export function costOf(usage: Usage | undefined, price: ModelPrice): Money | undefined {
  if (typeof price.currency !== "string") throw new TypeError("a price has a currency");
  if (usage?.inputTokens === undefined || usage.outputTokens === undefined) return undefined;
  const cached = usage.cachedInputTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const plain = Math.max(0, usage.inputTokens - cached - written);
  const perMillion =
    count(plain) * units(price.inputPerMillion) +
    count(cached) * units(price.cachedInputPerMillion ?? price.inputPerMillion) +
    count(written) * units(price.cacheWritePerMillion ?? price.inputPerMillion) +
    count(usage.outputTokens) * units(price.outputPerMillion);
  return { amount: decimal(perMillion / 1_000_000n), currency: price.currency };
}

/**
 * What one call cost: what the provider charged, where it told that, else what {@link costOf} makes of its price. Nothing
 * when neither is known.
 * @throws TypeError for a price that is none.
 */
export function callCost(usage: Usage | undefined, price: ModelPrice | undefined): CallCost | undefined {
  const estimate = price === undefined ? undefined : costOf(usage, price);
  const charged = usage?.charged;
  if (charged === undefined) return estimate === undefined ? undefined : { ...estimate, source: "estimated" };
  const { amount, currency } = charged;
  return estimate === undefined
    ? { amount, currency, source: "charged" }
    : { amount, currency, source: "charged", estimate };
}

/**
 * What a call of a model cost, by a source of prices.
 * @throws `invalid_request` for a price that is none, and for a source that fails.
 */
export function costByPrices(
  prices: PriceSource | undefined,
  model: ResolvedModel,
  usage: Usage | undefined,
): CallCost | undefined {
  try {
    return callCost(usage, prices?.priceOf(model) ?? undefined);
  } catch (error) {
    if (isTinyAgentsError(error)) throw error;
    throw new TinyAgentsError("invalid_request", `The price of ${model.id} cannot be used: ${messageOf(error)}`, {
      details: { reason: "price" },
      cause: error,
    });
  }
}

/** A sum of money that somebody else told; nothing for what is no amount from 0 up in a currency of ISO 4217. */
export function readMoney(told: unknown): Money | undefined {
  if (typeof told !== "object" || told === null) return undefined;
  const { amount, currency } = told as { readonly amount?: unknown; readonly currency?: unknown };
  if (typeof amount !== "string" || !AMOUNT.test(amount)) return undefined;
  return typeof currency === "string" && CURRENCY.test(currency)
    ? { amount: decimal(units(amount)), currency }
    : undefined;
}

/** Of bounded length: sums of what others told stay cheap. */
const AMOUNT = /^\d{1,15}(?:\.\d{1,18})?$/;
const CURRENCY = /^[A-Z]{3}$/;

/** @throws TypeError when the currencies differ. */
export function addMoney(one: Money, other: Money): Money {
  if (one.currency !== other.currency) throw new TypeError(`cannot add ${other.currency} to ${one.currency}`);
  return { amount: decimal(units(one.amount) + units(other.amount)), currency: one.currency };
}

/** Amounts are counted in units of 10^-18, so that a price of 12 decimals per million tokens stays exact. */
const DECIMALS = 18;

function count(tokens: number): bigint {
  return BigInt(Math.trunc(tokens));
}

function units(amount: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(amount);
  if (match === null) throw new TypeError(`"${amount}" is not a decimal number with at most ${DECIMALS} decimals`);
  const [, sign, whole = "0", fraction = ""] = match;
  const size = BigInt(whole + fraction.padEnd(DECIMALS, "0"));
  return sign === "-" ? -size : size;
}

function decimal(amount: bigint): string {
  const sign = amount < 0n ? "-" : "";
  const digits = (amount < 0n ? -amount : amount).toString().padStart(DECIMALS + 1, "0");
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, "");
  return sign + digits.slice(0, -DECIMALS) + (fraction === "" ? "" : `.${fraction}`);
}
