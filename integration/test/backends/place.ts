import { type BackendRef, type OpenBackend, openBackend } from "./open-backend.js";

/** A place of its own for one test, which may be opened again and again. */
export interface BackendPlace {
  /** What another process opens it by. Absent where none can. */
  readonly ref?: BackendRef;
  /** Opens the place, as a new process would. Whoever opens closes. */
  open(): Promise<OpenBackend>;
  /** Takes the place away. */
  remove(): Promise<void>;
}

/** A backend that what is built on stores is tested over. */
export interface TestedBackend {
  readonly name: string;
  /** What was written is there when the place is opened again, by this process or by others. */
  readonly durable: boolean;
  /** Why it cannot be tested here; absent: it can. */
  readonly skip?: string;
  place(): Promise<BackendPlace>;
}

/** A place that can be opened by what other processes open it by. What was opened here is closed before it is taken away. */
export function placeOf(ref: BackendRef, remove?: () => Promise<void>): BackendPlace {
  const opened: OpenBackend[] = [];
  return {
    ref,
    async open() {
      const backend = await openBackend(ref);
      opened.push(backend);
      return backend;
    },
    async remove() {
      for (const backend of opened) await backend.close();
      await remove?.();
    },
  };
}
