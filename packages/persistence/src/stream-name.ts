/** The name of a stream, of which no two lists of parts share one, and whose parts all streams of them start with. */
export function streamName(prefix: string, ...parts: readonly string[]): string {
  let name = prefix;
  for (const part of parts) name += `/${escapePart(part)}`;
  return name;
}

/** A part, or the start of one, as it stands in the name of a stream. */
export function escapePart(part: string): string {
  return /[%/]/.test(part) ? part.replaceAll("%", "%25").replaceAll("/", "%2F") : part;
}

/** The one part of a name after its prefix; nothing where there is none, or more. */
export function partOfStream(prefix: string, stream: string): string | undefined {
  const part = stream.slice(prefix.length + 1);
  if (!stream.startsWith(`${prefix}/`) || part === "" || part.includes("/")) return undefined;
  return unescapePart(part);
}

/** The part that {@link escapePart} wrote. */
export function unescapePart(part: string): string {
  return part.replaceAll("%2F", "/").replaceAll("%25", "%");
}
