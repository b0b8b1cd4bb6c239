export { startMongodb } from "./mongodb.js";
export { type StartPostgresOptions, startPostgres, type TestPostgres } from "./postgres.js";
export type { NoServer, TestServer } from "./test-server.js";
