import { isJsonObject, type JsonObject } from "@tinyagents/core";
import { findFiles } from "../text/paths.js";
import type { Source } from "../text/summarize.js";
import { nameWords } from "../text/words.js";
import { LISTING, PATH, PATTERN, QUERY } from "../tools/names.js";
import type { ToolRole } from "../tools/roles.js";
import type { FinishedCall } from "../turn.js";
import type { Situation } from "./situation.js";

/** A read, and what was read. */
interface ReadCall extends FinishedCall {
  readonly path: string;
}

/** How far the look-up of a question has come. */
export interface Looked {
  readonly searches: readonly FinishedCall[];
  readonly reads: readonly ReadCall[];
  readonly lists: readonly FinishedCall[];
  /** Contents of the files that could be read. */
  readonly sources: readonly Source[];
  /** How many files the searches named. */
  readonly files: number;
}

/** Sorts the calls of this turn. */
export function lookedSoFar({ turn, roles }: Situation): Looked {
  const ofKind = (kind: ToolRole["type"]): readonly FinishedCall[] =>
    turn.calls.filter((each) => kindOf(each, roles) === kind);
  const searches = ofKind("search");
  const reads = ofKind("read").map((each) => ({ ...each, path: argument(each.args, PATH) ?? each.name }));
  const sources = reads.filter(({ ok }) => ok).map((each) => ({ name: each.path, text: contentOf(each) }));
  const found = searches.filter(({ ok }) => ok).flatMap(({ value, text }) => findFiles(value ?? text));
  return { searches, reads, lists: ofKind("list"), sources, files: new Set(found.map(({ path }) => path)).size };
}

/**
 * What a call was for. A tool that is no longer declared (the model may be asked for its last answer without any) is
 * known by its arguments.
 */
export function kindOf({ name, args }: FinishedCall, roles: readonly ToolRole[]): ToolRole["type"] {
  const role = roles.find(({ tool }) => tool.name === name);
  if (role !== undefined) return role.type;
  if (argument(args, PATH) !== undefined) return "read";
  if (argument(args, QUERY) !== undefined || argument(args, PATTERN) !== undefined) return "search";
  return Object.keys(args).length === 0 && LISTING.test(nameWords(name).join(" ")) ? "list" : "other";
}

function argument(args: JsonObject, name: RegExp): string | undefined {
  const found = Object.entries(args).find(([key, value]) => name.test(key) && typeof value === "string");
  return found === undefined ? undefined : String(found[1]);
}

/** What a read gave: its text, or of an object the longest text in it. */
function contentOf({ value, text }: FinishedCall): string {
  if (!isJsonObject(value)) return text;
  const texts = Object.values(value).filter((each): each is string => typeof each === "string");
  return texts.sort((one, other) => other.length - one.length)[0] ?? text;
}
