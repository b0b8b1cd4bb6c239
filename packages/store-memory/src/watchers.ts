/** Who is called back when a stream has grown. */
export interface Watchers {
  /** What it gives ends the calls. */
  add(stream: string, onAppend: () => void): () => void;
  /** Calls back, soon, whoever watches a stream. */
  ring(stream: string): void;
  /** Calls everybody back a last time. */
  close(): void;
}

export function newWatchers(): Watchers {
  const streams = new Map<string, Set<() => void>>();
  const ring = (stream: string): void => {
    for (const call of streams.get(stream) ?? []) queueMicrotask(call);
  };
  return {
    add(stream, onAppend) {
      const watching = streams.get(stream) ?? new Set();
      // A call back of its own: the same function may watch twice, and each ends alone.
      const call = (): void => onAppend();
      streams.set(stream, watching.add(call));
      return () => {
        watching.delete(call);
        if (watching.size === 0 && streams.get(stream) === watching) streams.delete(stream);
      };
    },
    ring,
    close() {
      for (const stream of streams.keys()) ring(stream);
      streams.clear();
    },
  };
}
