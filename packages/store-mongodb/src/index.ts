export { type MongodbBackend, mongodbBackend } from "./backend.js";
export type { CollectionOptions } from "./collections.js";
export type { MongodbCollection, MongodbCursor, MongodbDb, MongodbSession } from "./driver.js";
export type { MongodbBackendOptions, MongodbConnection, MongodbDatabase, MongodbOptions } from "./options.js";
export { createMongodbIndexes } from "./schema.js";
