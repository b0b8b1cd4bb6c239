import { type AgentRun, type AgentStreamItem, abortError, type StreamMode } from "@tinyagents/core";
import { modeSet } from "./modes.js";
import { CancelScope } from "./run/cancel-scope.js";

/** How an observer wants its items. */
export interface SubscribeOptions {
  /** Default: all but `events`. */
  readonly modes?: readonly StreamMode[] | undefined;
  /** How many items may wait for a slow reader, 1 or more. Default 1,024. Of more, the oldest are dropped and counted. */
  readonly capacity?: number | undefined;
}

/** An observer of a run: it never holds the run up, and leaving it changes nothing for the run. */
export interface Subscription<Output> extends AsyncIterableIterator<AgentStreamItem<Output>, undefined, undefined> {
  /** Items that were dropped because the reader was too slow. */
  readonly dropped: number;
}

/** A run that goes on by itself. */
export interface RunHandle<Output> {
  readonly runId: string;
  /** Rejects with the error of a run that fails, like `invoke`. */
  readonly result: Promise<AgentRun<Output>>;
  /** Items from now on. After the run's end it has none. @throws TypeError for a mode that there is not, and a bad capacity. */
  subscribe(options?: SubscribeOptions): Subscription<Output>;
  /** Ends the run; `result` settles when what it had under way has. */
  cancel(reason?: string): void;
}

const ALL_BUT_EVENTS: readonly StreamMode[] = ["messages", "tools", "usage", "cost", "updates", "final"];

/** Which mode an item belongs to. */
function modeOf(item: AgentStreamItem): StreamMode {
  switch (item.type) {
    case "tool_started":
    case "tool_progress":
    case "tool_result":
      return "tools";
    case "update":
    case "memory":
      return "updates";
    case "event":
      return "events";
    case "usage":
    case "cost":
    case "final":
      return item.type;
    default:
      return "messages";
  }
}

class Observer<Output> implements Subscription<Output> {
  dropped = 0;
  readonly wants: ReadonlySet<StreamMode>;
  readonly #capacity: number;
  readonly #leave: (observer: Observer<Output>) => void;
  #items: AgentStreamItem<Output>[] = [];
  /** Calls of `next` that wait for an item, first come, first served. */
  readonly #readers: ((result: IteratorResult<AgentStreamItem<Output>, undefined>) => void)[] = [];
  #over = false;

  constructor(
    { modes = ALL_BUT_EVENTS, capacity = 1_024 }: SubscribeOptions,
    leave: (observer: Observer<Output>) => void,
  ) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new TypeError(`capacity: a whole number from 1 on is expected, not ${String(capacity)}`);
    }
    this.wants = modeSet(modes);
    this.#capacity = capacity;
    this.#leave = leave;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  take(item: AgentStreamItem<Output>): void {
    if (this.#over || !this.wants.has(modeOf(item))) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader({ value: item, done: false });
      return;
    }
    if (this.#items.length >= this.#capacity) {
      this.#items.shift();
      this.dropped++;
    }
    this.#items.push(item);
  }

  end(): void {
    this.#over = true;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  next(): Promise<IteratorResult<AgentStreamItem<Output>, undefined>> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#readers.push(resolve);
    });
  }

  return(): Promise<IteratorResult<AgentStreamItem<Output>, undefined>> {
    this.#items = [];
    this.end();
    this.#leave(this);
    return Promise.resolve({ value: undefined, done: true });
  }
}

/** Starts a run and gives its handle. */
export function runHandle<Output>(
  runId: string,
  drive: (
    emit: (item: AgentStreamItem) => void,
    modes: Pick<ReadonlySet<StreamMode>, "has">,
    owner: CancelScope,
  ) => Promise<AgentRun<Output>>,
): RunHandle<Output> {
  const observers = new Set<Observer<Output>>();
  const owner = new CancelScope();
  const wanted: Pick<ReadonlySet<StreamMode>, "has"> = {
    has: (mode) => [...observers].some((observer) => observer.wants.has(mode)),
  };
  const show = (item: AgentStreamItem): void => {
    for (const observer of observers) observer.take(item as AgentStreamItem<Output>);
  };
  let over = false;
  // The run begins after this turn: whoever subscribes at once misses nothing.
  const result = Promise.resolve()
    .then(() => drive(show, wanted, owner))
    .then((run) => {
      show({ type: "final", run });
      return run;
    })
    .finally(() => {
      over = true;
      for (const observer of observers) observer.end();
      observers.clear();
    });
  // Whoever reads `result` gets its failure; one that nobody reads must not bring the process down.
  result.catch(() => {});
  return {
    runId,
    result,
    subscribe(options = {}) {
      const observer = new Observer<Output>(options, (left) => observers.delete(left));
      if (over) observer.end();
      else observers.add(observer);
      return observer;
    },
    cancel: (reason) => owner.cancel(abortError(reason)),
  };
}
