/** What the backend of a log can do. Conformance tests exactly what is declared. */
export interface LogCapabilities {
  /** What was acknowledged survives a killed process. */
  readonly durable: boolean;
  /** Several processes may use it at once. */
  readonly multiProcess: boolean;
}

/** What the backend of a store can do. */
export interface StoreCapabilities extends LogCapabilities {
  /** `batch` is all or nothing. */
  readonly atomicBatch: boolean;
  /** `ttlMs` is honoured. */
  readonly ttl: boolean;
}
