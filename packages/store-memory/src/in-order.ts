/** Up to so many that are new are put in one by one; more are sorted in together. */
const FEW = 4;

/** Things in an order that is made when somebody looks: adding costs no moves. */
export class InOrder<T> {
  readonly #compare: (one: T, other: T) => number;
  #ordered: T[] = [];
  #added: T[] = [];

  constructor(compare: (one: T, other: T) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#ordered.length + this.#added.length;
  }

  /** Adds what is not there yet. */
  add(one: T): void {
    this.#added.push(one);
  }

  /** All there is, in order, until something is added or dropped. */
  all(): readonly T[] {
    if (this.#added.length <= FEW) {
      for (const one of this.#added) {
        const at = firstWhere(this.#ordered, (other) => this.#compare(other, one) > 0);
        this.#ordered.splice(at, 0, one);
      }
    } else this.#ordered = this.#ordered.concat(this.#added).sort(this.#compare);
    this.#added = [];
    return this.#ordered;
  }

  keepOnly(isKept: (one: T) => boolean): void {
    this.#ordered = this.#ordered.filter(isKept);
    this.#added = this.#added.filter(isKept);
  }
}

/** The index of the first for which `reached` holds, which must hold for all after it; how many there are where it holds for none. */
export function firstWhere<T>(ordered: readonly T[], reached: (one: T) => boolean): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (reached(ordered[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
