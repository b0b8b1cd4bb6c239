/** A document, or a filter or update of documents. */
export type Fields = { readonly [name: string]: unknown };

/** What is used of the driver's `FindCursor`. */
export interface MongodbCursor extends AsyncIterable<unknown> {
  sort(order: { [field: string]: 1 | -1 }): MongodbCursor;
  limit(count: number): MongodbCursor;
  toArray(): Promise<unknown[]>;
}

/** What is used of the driver's `Collection`. */
export interface MongodbCollection {
  find(filter: object, options?: object): MongodbCursor;
  findOne(filter: object, options?: object): Promise<unknown>;
  insertOne(document: object, options?: object): Promise<unknown>;
  updateOne(filter: object, update: object, options?: object): Promise<{ readonly matchedCount: number }>;
  findOneAndReplace(filter: object, document: object, options: object): Promise<unknown>;
  findOneAndDelete(filter: object, options: object): Promise<unknown>;
  deleteOne(filter: object, options?: object): Promise<unknown>;
  deleteMany(filter: object, options?: object): Promise<unknown>;
  createIndex(keys: { [field: string]: 1 | -1 }, options?: object): Promise<unknown>;
}

/** What is used of the driver's `ClientSession`. */
export interface MongodbSession {
  withTransaction<T>(work: () => Promise<T>, options?: object): Promise<T>;
  endSession(): Promise<void>;
}

/**
 * What is used of the driver's `Db`, version 7. Told by its shape: a `Db` of another copy of the driver is one as well.
 */
export interface MongodbDb {
  readonly client: { startSession(): MongodbSession };
  collection(name: string, options?: object): MongodbCollection;
  command(command: object, options?: object): Promise<object>;
}

/** How many documents a query can ask for. */
export const MOST_DOCUMENTS: number = 2 ** 31 - 1;

/** The codes that servers give with an error, of those that are told apart here. */
const DUPLICATE_KEY = 11000;
const NOT_IMPLEMENTED = 238;

/** Whether a document of that `_id` is there already. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === DUPLICATE_KEY;
}

/** Whether the server, which is no MongoDB, cannot do that at all. */
export function isNotImplemented(error: unknown): boolean {
  return codeOf(error) === NOT_IMPLEMENTED;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | null | undefined)?.code;
}
