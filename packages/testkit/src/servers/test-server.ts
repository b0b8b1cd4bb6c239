/** A real server for tests, of this process or somebody else's. */
export interface TestServer {
  readonly available: true;
  /** What clients connect to. */
  readonly url: string;
  /** Ends the server and takes its data away, if it was started here; once. It ends with this process in any case. */
  stop(): Promise<void>;
}

/** There is no server here. Tests that need one are skipped with the reason, never passed. */
export interface NoServer {
  readonly available: false;
  readonly reason: string;
}
