import { assert, assertEqual } from "../assert.js";
import type { RecordedRequest } from "./subject.js";

/** Who can say what a server got. */
interface Recording {
  requests(): readonly RecordedRequest[];
}

/** Lets work that is under way get as far as it can without being waited for. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Waits for so many turns of the event loop, at least so many milliseconds. */
export async function turns(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) await turn();
}

/** Reads up to the first visible text. */
export async function firstText(deltas: AsyncIterator<{ readonly type: string }>): Promise<void> {
  for (let next = await deltas.next(); next.done !== true; next = await deltas.next()) {
    if (next.value.type === "text") return;
  }
  assert(false, "the stream ended before it had any text");
}

/** A signal that counts who listens to it. Who listens once does so no more when it has aborted. */
export function watchedSignal(): { readonly controller: AbortController; listeners(): number } {
  const controller = new AbortController();
  const listening = new Set<unknown>();
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    const [type, listener, options] = args;
    listening.add(listener);
    add(...args);
    if (typeof options === "object" && options.once === true)
      add(type, () => listening.delete(listener), { once: true });
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listening.delete(args[1]);
    remove(...args);
  };
  return { controller, listeners: () => listening.size };
}

/** Waits for the end of the first request, where it is recorded: the client closed it. */
export async function closedByClient({ requests }: Recording): Promise<void> {
  const [request] = requests();
  if (request === undefined) return;
  assertEqual(await request.ended, "aborted", "how the connection ended");
}

/** How many turns of the event loop a request may take to arrive. */
const LONGEST_WAY = 1_000;

/** Waits until the server has got a request, where it records them. */
export async function requestArrived({ requests }: Recording, recorded: boolean): Promise<void> {
  await turn();
  for (let passed = 0; recorded && requests().length === 0; passed++) {
    assert(passed < LONGEST_WAY, "no request reached the server");
    await turn();
  }
}
