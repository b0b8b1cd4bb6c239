/** Which tables are meant. */
export interface TableOptions {
  /** The schema that the tables are in, made when it is missing. Default `public`. */
  readonly schema?: string | undefined;
  /** What the names of the tables start with. Default `tinyagents_`. */
  readonly tablePrefix?: string | undefined;
}

/** The tables of a backend, as statements name them: in quotes, with their schema. */
export interface Tables {
  /** The schema by its plain name. */
  readonly schema: string;
  readonly prefix: string;
  readonly records: string;
  /** A sequence: no two writes of any record have the same version. */
  readonly recordVersions: string;
  readonly streams: string;
  readonly log: string;
  /** What was appended under each idempotency key. */
  readonly appendKeys: string;
  /** One row: which version of these tables it is. */
  readonly schemaVersion: string;
}

/** PostgreSQL cuts longer names off without an error, and two prefixes would mean the same tables. */
const LONGEST_NAME_BYTES = 63;
/** Room for the longest name after a prefix. */
const LONGEST_SUFFIX = "records_by_expiry".length;

/** What no text of PostgreSQL has: NUL, and half a surrogate pair. */
const NO_TEXT = /\0|[\ud800-\udfff]/u;

/** `place` is how errors name the options. @throws `TypeError` for names that PostgreSQL cannot have. */
export function readTables({ schema = "public", tablePrefix = "tinyagents_" }: TableOptions, place: string): Tables {
  checkName(schema, `${place}.schema`, 1, LONGEST_NAME_BYTES);
  checkName(tablePrefix, `${place}.tablePrefix`, 0, LONGEST_NAME_BYTES - LONGEST_SUFFIX);
  const table = (name: string): string => `${quoted(schema)}.${quoted(tablePrefix + name)}`;
  return {
    schema,
    prefix: tablePrefix,
    records: table("records"),
    recordVersions: table("record_versions"),
    streams: table("streams"),
    log: table("log"),
    appendKeys: table("append_keys"),
    schemaVersion: table("schema_version"),
  };
}

/** An identifier, whatever characters are in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function checkName(name: string, place: string, least: number, most: number): void {
  const isFit = typeof name === "string" && !NO_TEXT.test(name);
  const bytes = isFit ? new TextEncoder().encode(name).length : 0;
  if (!isFit || bytes < least || bytes > most)
    throw new TypeError(`${place}: a text of ${least} to ${most} bytes, without NUL, is expected`);
}
