/** What the backend of a log can do. Conformance tests exactly what is declared. */
export interface LogCapabilities {
  /** What was acknowledged survives a killed process, and is there when the place is opened again. */
  readonly durable: boolean;
  /** Several processes, and several stores on one place, may use it at once. */
  readonly multiProcess: boolean;
  /** The log has `watch`. Without it, {@link follow} asks now and then. */
  readonly follow: boolean;
}

/** What the backend of a store can do. */
export interface StoreCapabilities extends Omit<LogCapabilities, "follow"> {
  /** `batch` is all or nothing. Without it, a batch stops at the first write that fails, and those before it stay. */
  readonly atomicBatch: boolean;
  /** `ttlMs` is honoured. Without it, a write that has one is refused with `invalid_request`. */
  readonly ttl: boolean;
}
