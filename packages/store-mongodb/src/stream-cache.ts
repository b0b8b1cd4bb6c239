import type { StreamState } from "./stream-document.js";

/** So many streams are remembered. */
const MOST_STREAMS = 1_000;
/** The last append of a stream is remembered with it, unless its text is longer than this. */
const MOST_CHARS = 64 * 1024;

/**
 * What a process knows of the streams to which it appends. It may be behind: the step at the database finds out. Appends to
 * one stream take turns.
 */
export class StreamCache {
  readonly #states = new Map<string, StreamState>();
  readonly #turns = new Map<string, Promise<unknown>>();

  get(id: string): StreamState | undefined {
    return this.#states.get(id);
  }

  set(state: StreamState): void {
    this.#states.delete(state.id);
    const { body } = state.last;
    if (typeof body === "string" && body.length > MOST_CHARS) return;
    this.#states.set(state.id, state);
    if (this.#states.size <= MOST_STREAMS) return;
    for (const oldest of this.#states.keys()) {
      this.#states.delete(oldest);
      break;
    }
  }

  forget(id: string): void {
    this.#states.delete(id);
  }

  /** Runs the work when all that came before it for that stream is done, whatever came of that. */
  async inTurn<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(stream);
    const turn = before === undefined ? work() : before.then(work, work);
    const settled = turn.catch(() => undefined);
    this.#turns.set(stream, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(stream) === settled) this.#turns.delete(stream);
    }
  }
}
