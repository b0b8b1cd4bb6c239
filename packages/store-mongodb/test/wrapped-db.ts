import type { MongodbCollection, MongodbDb } from "../src/index.js";

/** A call of a collection, on its way to the server. */
export interface Call {
  readonly collection: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

type Around = (call: Call, run: () => Promise<unknown>) => Promise<unknown>;
type OnFind = (collection: string, filter: object) => void;

/** A database whose every write, and every read of one document, passes a function, and which tells what is looked for. */
export function wrappedDb(db: MongodbDb, around: Around, onFind: OnFind = () => undefined): MongodbDb {
  return {
    client: db.client,
    command: (command, options) => db.command(command, options),
    collection: (name, options) => wrapped(db.collection(name, options), name, around, onFind),
  };
}

function wrapped(collection: MongodbCollection, name: string, around: Around, onFind: OnFind): MongodbCollection {
  const methods = Object.fromEntries(
    METHODS.map((method) => [
      method,
      (...args: unknown[]) =>
        around({ collection: name, method, args }, () =>
          (collection[method] as (...args: unknown[]) => Promise<unknown>).apply(collection, args),
        ),
    ]),
  );
  return {
    ...methods,
    find: (filter: object, options?: object) => {
      onFind(name, filter);
      return collection.find(filter, options);
    },
  } as MongodbCollection;
}

const METHODS = [
  "findOne",
  "insertOne",
  "updateOne",
  "findOneAndReplace",
  "findOneAndDelete",
  "deleteOne",
  "deleteMany",
  "createIndex",
] as const;

/** The methods that change something. */
export function isWrite({ method }: Call): boolean {
  return method !== "findOne";
}
