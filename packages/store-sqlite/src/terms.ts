import type { JsonPrimitive, StoreAttributes } from "@tinyagents/core";
import type { Connection } from "./connection.js";
import { readAttributes } from "./record-row.js";
import type { Tables } from "./schema.js";
import { jsonText } from "./stored-text.js";

/** The index of records by their attributes. */
export interface TermIndex {
  /**
   * Puts the terms of a record's new attributes in the place of those of the old. Columns as they are stored; `null`: none.
   * Part of a transaction.
   */
  replace(key: Uint8Array, before: string | null, after: string | null): void;
}

/**
 * A name and a value as one text: two have the same exactly when names are equal and values are of one type and equal. No
 * part of it is a pattern or a path.
 */
function termOf(name: string, value: JsonPrimitive): string {
  return jsonText([name, value]);
}

export function termsOf(attributes: StoreAttributes): readonly string[] {
  return Object.entries(attributes).map(([name, value]) => termOf(name, value));
}

export function termIndex({ prepare }: Connection, { attributes }: Tables): TermIndex {
  const insert = prepare(`insert into ${attributes} (term, key) values (?, ?) on conflict do nothing`);
  const remove = prepare(`delete from ${attributes} where term = ? and key = ?`);
  const removeAll = prepare(`delete from ${attributes} where key = ?`);

  const removeOf = (key: Uint8Array, before: string): void => {
    let terms: readonly string[];
    try {
      terms = termsOf(readAttributes(before, "record"));
    } catch {
      // Damaged attributes do not tell their terms, and must not keep the record from being written anew or deleted.
      removeAll.run(key);
      return;
    }
    for (const term of terms) remove.run(term, key);
  };
  return {
    replace(key, before, after) {
      if (before === after) return;
      if (before !== null) removeOf(key, before);
      if (after === null) return;
      for (const term of termsOf(readAttributes(after, "record"))) insert.run(term, key);
    },
  };
}
