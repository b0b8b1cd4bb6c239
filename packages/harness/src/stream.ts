import { type AgentRun, type AgentStreamItem, type StreamMode, TinyAgentsError } from "@tinyagents/core";
import { modeSet } from "./modes.js";
import { CancelScope } from "./run/cancel-scope.js";
import { Handoff } from "./run/handoff.js";

/** Moves a run to its end: items go to `emit`; cancelling `owner` cancels it. */
export type StreamDriver<Output> = (
  emit: (item: AgentStreamItem) => void | Promise<void>,
  modes: ReadonlySet<StreamMode>,
  owner: CancelScope,
) => Promise<AgentRun<Output>>;

/** The items of one run. For one reader: work starts with the first `next()`, leaving the loop cancels the run. */
export interface AgentStream<Output> extends AsyncIterableIterator<AgentStreamItem<Output>, undefined, undefined> {
  /**
   * Items that were dropped because the reader was too slow: the oldest progress and custom events of tools that do not
   * wait, where more than 1,024 items lie ready. Anything else waits for its reader.
   */
  readonly dropped: number;
}

const DEFAULT_MODES: ReadonlySet<StreamMode> = new Set(["messages", "tools", "final"]);

/**
 * A run as a stream of items. It goes no faster than its reader. A run that fails makes the stream throw its error.
 * @throws TypeError for a mode that there is not.
 */
export function agentStream<Output>(
  drive: StreamDriver<Output>,
  modes?: readonly StreamMode[] | undefined,
): AgentStream<Output> {
  return new PulledRun(drive, modes === undefined ? DEFAULT_MODES : modeSet(modes));
}

/** What comes from where nobody can wait, in any number: a tool tells of its progress. */
function isToldInPassing(item: AgentStreamItem<unknown>): boolean {
  return item.type === "tool_progress" || (item.type === "event" && item.event.type === "custom");
}

class PulledRun<Output> implements AgentStream<Output> {
  readonly #drive: StreamDriver<Output>;
  readonly #modes: ReadonlySet<StreamMode>;
  readonly #items = new Handoff<AgentStreamItem<Output>>(isToldInPassing);
  readonly #owner = new CancelScope();
  #running: Promise<void> | undefined;

  constructor(drive: StreamDriver<Output>, modes: ReadonlySet<StreamMode>) {
    this.#drive = drive;
    this.#modes = modes;
  }

  get dropped(): number {
    return this.#items.dropped;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<AgentStreamItem<Output>, undefined>> {
    if (this.#owner.reason === undefined) this.#running ??= this.#run();
    return this.#items.next();
  }

  async return(): Promise<IteratorResult<AgentStreamItem<Output>, undefined>> {
    this.#items.abandon();
    this.#owner.cancel(
      new TinyAgentsError("cancelled", "The run was cancelled: its stream is read no further.", {
        details: { reason: "stream_left" },
      }),
    );
    await this.#running;
    return { value: undefined, done: true };
  }

  async #run(): Promise<void> {
    try {
      const run = await this.#drive(
        (item) => this.#items.push(item as AgentStreamItem<Output>),
        this.#modes,
        this.#owner,
      );
      if (this.#modes.has("final")) await this.#items.push({ type: "final", run });
      this.#items.end();
    } catch (error) {
      this.#items.end({ error });
    }
  }
}

/** Items as a web stream: for a response body or a worker's channel. Cancelling it leaves the loop. */
export function readableStream<T>(items: AsyncIterable<T>): ReadableStream<T> {
  const iterator = items[Symbol.asyncIterator]();
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { value, done } = await iterator.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
