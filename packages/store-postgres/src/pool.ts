/** A statement as `pg` takes it. */
export interface PostgresStatement {
  readonly text: string;
  /** Prepared under this name, once per connection. */
  readonly name?: string;
  readonly values?: unknown[];
}

/** What came of a statement. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** What a connection tells besides answers. */
export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** One connection, as far as a backend needs it: a `Client` of `pg`. */
export interface PostgresConnection {
  query(statement: PostgresStatement): Promise<PostgresResult>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  on(event: "notification", listener: (notification: PostgresNotification) => void): unknown;
  removeListener(event: string, listener: (error: Error) => void): unknown;
  // What it takes to stop a statement; where one of them is missing, a call that is cancelled waits for its statement.
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number | null;
  readonly secretKey?: number | null;
}

/** A connection that a pool has lent. */
export interface PostgresClient extends PostgresConnection {
  /** Gives it back; with `true`, to be closed. */
  release(destroy?: boolean): void;
}

/** A pool of connections: a `Pool` of `pg`, of any copy or version that has these. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}
