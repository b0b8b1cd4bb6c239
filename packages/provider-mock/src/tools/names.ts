/** Names that arguments and tools go by, wherever they come from. */

export const EXPRESSION: RegExp = /^(?:expression|expr|formula|calculation|equation)$/i;
export const QUERY: RegExp = /^(?:query|q|search|search_?text|search_?query|text|terms?|keywords?)$/i;
/** What is searched for letter by letter, so that several words in a row may well find nothing. */
export const PATTERN: RegExp = /^(?:pattern|regex|regexp|needle|phrase|substring)$/i;
export const PATH: RegExp = /^(?:path|file|file_?path|file_?name|document|doc|page)$/i;

export const SEARCHING: RegExp = /\b(?:search|find|grep|look ?up|query|retrieve|match)/i;
export const READING: RegExp = /\b(?:read|open|load|get|fetch|show|view|cat|contents?)\b/i;
export const LISTING: RegExp = /\b(?:list|ls|tree|dir|directory|browse)\b/i;
export const FILES: RegExp = /\b(?:files?|documents?|docs|folders?|director(?:y|ies)|pages?)\b/i;
/** Tools that change something are never taken for tools that look. */
export const CHANGING: RegExp =
  /\b(?:write|save|delete|remove|edit|create|append|move|rename|update|replace|patch|upload|send|run)\b/i;
