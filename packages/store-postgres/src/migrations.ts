import { quoted, type Tables } from "./tables.js";

/** What leads from each version of the tables to the next: the statements, in order. What was released never changes. */
export const migrations: readonly ((tables: Tables) => readonly string[])[] = [
  ({ prefix, records, recordVersions, streams, log, appendKeys }) => [
    `CREATE SEQUENCE ${recordVersions} AS bigint`,
    // Keys and names are bytes that order as keys do. A value is JSON text, or bytes.
    `CREATE TABLE ${records} (
      namespace bytea NOT NULL,
      key bytea NOT NULL,
      kind text NOT NULL,
      content text,
      bytes bytea,
      attributes text NOT NULL,
      terms bytea[] NOT NULL,
      version bigint NOT NULL,
      updated_at_ms double precision NOT NULL,
      expires_at_ms double precision,
      PRIMARY KEY (namespace, key)
    )`,
    // Without a list of what is to be added later, which every search would have to read through.
    `CREATE INDEX ${quoted(`${prefix}records_by_terms`)} ON ${records} USING gin (terms) WITH (fastupdate = off)`,
    `CREATE INDEX ${quoted(`${prefix}records_by_expiry`)} ON ${records} (namespace, expires_at_ms)
      WHERE expires_at_ms IS NOT NULL`,
    // Room in each page for the next version of a row: a head changes with every append.
    `CREATE TABLE ${streams} (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      namespace bytea NOT NULL,
      name bytea NOT NULL,
      start bigint NOT NULL DEFAULT 0,
      head bigint NOT NULL,
      UNIQUE (namespace, name)
    ) WITH (fillfactor = 50)`,
    `CREATE TABLE ${log} (
      stream bigint NOT NULL,
      at bigint NOT NULL,
      content text NOT NULL,
      PRIMARY KEY (stream, at)
    )`,
    `CREATE TABLE ${appendKeys} (
      stream bigint NOT NULL,
      key bytea NOT NULL,
      at bigint NOT NULL,
      digest bytea NOT NULL,
      PRIMARY KEY (stream, key)
    )`,
  ],
];
