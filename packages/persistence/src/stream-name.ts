/** The name of a stream, of which no two lists of parts share one, and whose parts all streams of them start with. */
export function streamName(prefix: string, ...parts: readonly string[]): string {
  return [prefix, ...parts.map((part) => part.replaceAll("%", "%25").replaceAll("/", "%2F"))].join("/");
}
