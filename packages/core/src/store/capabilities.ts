/** What a backend can do. Conformance tests exactly what is declared. */
export interface StoreCapabilities {
  /** What was acknowledged survives a killed process. */
  readonly durable: boolean;
  /** `batch` is all or nothing. */
  readonly atomicBatch: boolean;
  /** Several processes may use it at once. */
  readonly multiProcess: boolean;
  /** `ttlMs` is honoured. */
  readonly ttl: boolean;
}
