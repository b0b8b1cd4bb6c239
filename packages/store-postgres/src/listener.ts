import { systemClock, throwIfAborted } from "@tinyagents/core";
import type { PostgresConnection } from "./pool.js";
import { quoted } from "./tables.js";

/** A connection that nobody else uses. */
export interface ListeningConnection {
  readonly connection: PostgresConnection;
  close(): void;
}

/** Calls back those who watch streams of a log. */
export interface LogListener {
  /** Resolves once appends that begin from now on are told of. What it gives ends that. */
  watch(payload: string, onAppend: () => void, signal: AbortSignal | undefined): Promise<() => void>;
  /** Lets go of the connection, and calls everybody back a last time. */
  close(): void;
}

/** Pauses before a lost connection is opened again, ms: this at first, and twice as long each time, up to the last. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Listens over one connection, which is open only while somebody watches. When it is lost it is opened again, and
 * everybody is called back: something may have been appended meanwhile.
 */
export function logListener(channel: string, open: () => Promise<ListeningConnection>): LogListener {
  const watchers = new Map<string, Set<() => void>>();
  let listening: Promise<Listening> | undefined;

  const ringAll = (): void => {
    for (const watching of watchers.values()) for (const ring of watching) ring();
  };
  /** A connection that cannot be had is not the one that is listened over: whoever comes next opens another. */
  const start = (): Promise<Listening> => {
    const onNotification = (payload: string): void => {
      for (const ring of watchers.get(payload) ?? []) ring();
    };
    const forget = (): boolean => {
      if (listening !== starting) return false;
      listening = undefined;
      return true;
    };
    const starting = listen(channel, open, onNotification, () => {
      if (forget()) void restart();
    });
    starting.catch(forget);
    listening = starting;
    return starting;
  };
  /** Opens the connection again, for as long as somebody watches, or takes the one that a new watcher has opened. */
  const restart = async (): Promise<void> => {
    for (let pauseMs = FIRST_PAUSE_MS; watchers.size > 0; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await (listening ?? start());
        return ringAll();
      } catch {
        // The database is not back yet. Who follows a log asks it now and then as well, and is told there.
        await systemClock.sleep(pauseMs);
      }
    }
  };
  const stop = (): void => {
    const stopping = listening;
    listening = undefined;
    stopping?.then(
      ({ close }) => close(),
      () => undefined,
    );
  };
  return {
    async watch(payload, onAppend, signal) {
      // A call back of its own: the same function may watch twice, and each ends alone.
      const ring = (): void => onAppend();
      const watching = watchers.get(payload) ?? new Set();
      watchers.set(payload, watching.add(ring));
      const unwatch = (): void => {
        if (!watching.delete(ring) || watching.size > 0) return;
        if (watchers.get(payload) === watching) watchers.delete(payload);
        if (watchers.size === 0) stop();
      };
      try {
        await (listening ?? start());
        throwIfAborted(signal);
      } catch (error) {
        unwatch();
        throw error;
      }
      return unwatch;
    },
    close() {
      ringAll();
      watchers.clear();
      stop();
    },
  };
}

interface Listening {
  close(): void;
}

/** Opens a connection that listens. `onLost` is called once, unless it was closed before. */
async function listen(
  channel: string,
  open: () => Promise<ListeningConnection>,
  onNotification: (payload: string) => void,
  onLost: () => void,
): Promise<Listening> {
  const { connection, close } = await open();
  let isOver = false;
  let isListening = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    close();
  };
  const lose = (): void => {
    if (isOver) return;
    end();
    if (isListening) onLost();
  };
  connection.on("error", lose);
  connection.on("end", lose);
  connection.on("notification", ({ payload }) => onNotification(payload ?? ""));
  try {
    await connection.query({ text: `LISTEN ${quoted(channel)}` });
  } catch (error) {
    end();
    throw error;
  }
  if (isOver) throw new Error("Connection terminated");
  isListening = true;
  return { close: end };
}
