import { createHash } from "node:crypto";

const ENDING = ".jsonl";
/** Longer names become a digest. With the ending it stays below the 255 bytes that file systems take. */
const MOST_CHARS = 160;

/**
 * The file of a stream: a name that every file system takes, also one that takes `A` for `a` or joins accents, and that is
 * reserved nowhere. Small letters, digits, `-` and `_` stand for themselves, each other UTF-16 code unit for `%` and its
 * number. A name too long for that gets a digest, and only the file itself says whose it is.
 */
export function streamFileName(stream: string): string {
  let safe = "";
  for (let i = 0; i < stream.length && safe.length <= MOST_CHARS; i++) safe += safeUnit(stream.charCodeAt(i));
  if (safe.length <= MOST_CHARS) return `s-${safe}${ENDING}`;
  return `h-${createHash("sha256").update(Buffer.from(stream, "utf16le")).digest("hex")}${ENDING}`;
}

/** The stream of a file; `long` when only the file says; nothing when the file is none of ours. */
export function streamOfFileName(name: string): { readonly stream: string } | "long" | undefined {
  if (/^h-[0-9a-f]{64}\.jsonl$/.test(name)) return "long";
  const safe = /^s-((?:[a-z0-9_-]|%[0-9a-f]{2}|%u[0-9a-f]{4})+)\.jsonl$/.exec(name)?.[1];
  if (safe === undefined) return undefined;
  const stream = safe.replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_, long: string | undefined, short: string) =>
    String.fromCharCode(Number.parseInt(long ?? short, 16)),
  );
  return streamFileName(stream) === name ? { stream } : undefined;
}

function safeUnit(unit: number): string {
  const char = String.fromCharCode(unit);
  if (/[a-z0-9_-]/.test(char)) return char;
  return unit < 0x100 ? `%${unit.toString(16).padStart(2, "0")}` : `%u${unit.toString(16).padStart(4, "0")}`;
}
