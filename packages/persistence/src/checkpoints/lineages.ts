import type { AppendStore, CheckpointThread, Clock } from "@tinyagents/core";
import { streamName } from "../stream-name.js";
import { keepTasks } from "./keep-tasks.js";
import { LineageLog } from "./lineage-log.js";
import { TaskGroup } from "./task-group.js";

/** One lineage, and what many tasks at once want to have kept in it. */
export interface Lineage {
  readonly entries: LineageLog;
  readonly tasks: TaskGroup;
}

/** The lineages that are in use, or were a moment ago. */
export class Lineages {
  readonly #log: AppendStore;
  readonly #prefix: string;
  readonly #clock: Clock;
  /** Those used the longest time ago come first. */
  readonly #known = new Map<string, Lineage>();

  constructor(log: AppendStore, prefix: string, clock: Clock) {
    this.#log = log;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** Does something with a lineage. Calls on one share what is known of it. */
  use<T>({ threadId, namespace }: CheckpointThread, work: (lineage: Lineage) => Promise<T>): Promise<T> {
    const stream = streamName(this.#prefix, threadId, namespace);
    const lineage = this.#known.get(stream) ?? this.#open(stream, { threadId, namespace });
    this.#known.delete(stream);
    this.#known.set(stream, lineage);
    const done = work(lineage);
    this.#forgetOld();
    return done;
  }

  #open(stream: string, thread: CheckpointThread): Lineage {
    const entries = new LineageLog(this.#log, stream, thread, this.#clock);
    return { entries, tasks: new TaskGroup((wanted, signal) => keepTasks(entries, thread, wanted, signal)) };
  }

  /** Lets go of what nobody uses: what was known of it would not be trusted any more. */
  #forgetOld(): void {
    for (const [stream, { entries, tasks }] of this.#known) {
      if (!entries.forgettable || !tasks.idle) return;
      this.#known.delete(stream);
    }
  }
}
