export { type PostgresBackend, postgresBackend } from "./backend.js";
export type { PostgresBackendOptions, PostgresConnectionOptions, PostgresPoolOptions } from "./options.js";
export type {
  PostgresClient,
  PostgresConnection,
  PostgresNotification,
  PostgresPool,
  PostgresResult,
  PostgresStatement,
} from "./pool.js";
export { createPostgresSchema } from "./schema.js";
export type { TableOptions } from "./tables.js";
