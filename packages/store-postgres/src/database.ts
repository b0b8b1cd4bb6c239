import { createHash } from "node:crypto";
import { abortError, onAbort, systemClock, throwIfAborted } from "@tinyagents/core";
import type { PostgresClient, PostgresPool, PostgresResult } from "./pool.js";
import { stopStatement } from "./stop-statement.js";
import { endsConnection, isGivenUp, isStopped } from "./to-error.js";

/** A row as it comes. Our statements cast to text what else the driver, or an application's parsers, would make of it. */
export type Row = { readonly [column: string]: string | null };

/** A statement that is used again and again. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
}

/** Runs one statement and gives its rows. */
export type Query = (statement: Statement, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The connections of a backend, and how they are used. */
export interface Database {
  /** One statement, which is a transaction by itself. */
  query(statement: Statement, values: readonly unknown[], signal: AbortSignal | undefined): Promise<readonly Row[]>;
  /** Several statements, all or none. They may run again from the start. */
  transaction<T>(signal: AbortSignal | undefined, work: (query: Query) => Promise<T>): Promise<T>;
}

/** So often something is tried that the database gives up for others, and that is what passes by itself. */
const ATTEMPTS = 8;
const PAUSE_MS = 10;

const BEGIN: Statement = { text: "BEGIN ISOLATION LEVEL READ COMMITTED" };
const COMMIT: Statement = { text: "COMMIT" };
const ROLLBACK: Statement = { text: "ROLLBACK" };

/** A statement that is prepared once per connection, under a name that no other text has. */
export function prepared(text: string, prepare: boolean): Statement {
  if (!prepare) return { text };
  return { text, name: `tinyagents_${createHash("sha256").update(text).digest("hex").slice(0, 32)}` };
}

export function databaseOn(pool: PostgresPool): Database {
  return {
    query: (statement, values, signal) =>
      repeated(signal, () => withClient(pool, signal, (lent) => ask(lent, statement, values, signal))),
    transaction: (signal, work) =>
      repeated(signal, () =>
        withClient(pool, signal, async (lent) => {
          await ask(lent, BEGIN, [], signal);
          try {
            const value = await work((statement, values = []) => ask(lent, statement, values, signal));
            throwIfAborted(signal);
            // Nobody stops it here: half a commit is none that we could tell.
            await ask(lent, COMMIT, [], undefined);
            return value;
          } catch (error) {
            await rollBack(lent);
            throw error;
          }
        }),
      ),
  };
}

/** A client that a call has for itself. */
interface Lent {
  readonly client: PostgresClient;
  /** Whether nobody may have it after this call: what is known of its state is not enough. */
  isSpent: boolean;
}

async function withClient<T>(
  pool: PostgresPool,
  signal: AbortSignal | undefined,
  work: (lent: Lent) => Promise<T>,
): Promise<T> {
  const lent: Lent = { client: await lend(pool, signal), isSpent: false };
  // A connection that is lost between two statements says so here, and nobody listening would end the process.
  const onError = (): void => {
    lent.isSpent = true;
  };
  lent.client.on("error", onError);
  try {
    return await work(lent);
  } finally {
    lent.client.removeListener("error", onError);
    lent.client.release(lent.isSpent);
  }
}

/** Waits for a client of the pool no longer than the signal lets it. One that comes too late goes straight back. */
function lend(pool: PostgresPool, signal: AbortSignal | undefined): Promise<PostgresClient> {
  throwIfAborted(signal);
  return untilAborted(pool.connect(), signal, (client) => client.release());
}

/** What comes, unless the signal aborts before. `tooLate` gets what comes after that. */
export function untilAborted<T>(
  coming: Promise<T>,
  signal: AbortSignal | undefined,
  tooLate?: (value: T) => void,
): Promise<T> {
  if (signal === undefined) return coming;
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => reject(abortError(signal)));
    coming.then(
      (value) => {
        unlink();
        if (signal.aborted) tooLate?.(value);
        else resolve(value);
      },
      (error: unknown) => {
        unlink();
        reject(error);
      },
    );
  });
}

/** Runs a statement. When the signal aborts, it is stopped, and what came of it is waited for: done whole, or not at all. */
async function ask(
  lent: Lent,
  { text, name }: Statement,
  values: readonly unknown[],
  signal: AbortSignal | undefined,
): Promise<readonly Row[]> {
  throwIfAborted(signal);
  let stopping: Promise<void> | undefined;
  const running = lent.client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) });
  const unlink = onAbort(signal, () => {
    // The request may reach the server when the statement is over: no other may then run on this connection.
    lent.isSpent = true;
    stopping = stopStatement(lent.client);
  });
  try {
    return rowsOf(await running);
  } catch (error) {
    if (endsConnection(error)) lent.isSpent = true;
    if (stopping !== undefined && isStopped(error)) throw abortError(signal);
    throw error;
  } finally {
    unlink();
    await stopping;
  }
}

function rowsOf({ rows }: PostgresResult): readonly Row[] {
  return rows as readonly Row[];
}

/** Ends a transaction that failed. A connection that cannot do even that is closed, which ends it too. */
async function rollBack(lent: Lent): Promise<void> {
  try {
    await ask(lent, ROLLBACK, [], undefined);
  } catch {
    lent.isSpent = true;
  }
}

async function repeated<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= ATTEMPTS || !isGivenUp(error)) throw error;
      await systemClock.sleep(attempt * PAUSE_MS, signal);
    }
  }
}
