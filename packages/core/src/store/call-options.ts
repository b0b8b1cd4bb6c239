/** What every call of a store can be given besides its arguments. */
export interface StoreCallOptions {
  /**
   * Stops the call: `cancelled`, or the reason where it is an error of ours. A call whose signal had aborted before does
   * nothing. A write that is stopped under way is done whole or not at all; read again to learn which.
   */
  readonly signal?: AbortSignal | undefined;
}
