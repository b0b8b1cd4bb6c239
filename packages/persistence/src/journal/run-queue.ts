import {
  type AgentEvent,
  type AppendStore,
  type Clock,
  isTinyAgentsError,
  type JsonValue,
  type WithheldEvent,
} from "@tinyagents/core";
import { eventEntry, gapEntry, type Redaction, withheldEntry } from "./journal-entry.js";

/** What a journal tells of its own troubles. */
export type JournalTrouble = { readonly rootRunId: string } & (
  | { readonly type: "write_failed"; readonly attempt: number; readonly waiting: number; readonly error: unknown }
  /** `recorded`: whether the journal says so by now. */
  | { readonly type: "events_lost"; readonly lost: number; readonly recorded: boolean }
  | { readonly type: "event_withheld"; readonly eventId: string; readonly reason: WithheldEvent["reason"] }
);

/** What all queues of a journal share. */
export interface QueueSetting {
  readonly log: AppendStore;
  readonly redaction: Redaction;
  readonly clock: Clock;
  readonly attempts: number;
  readonly maxWaiting: number;
  /** Events of all runs that wait to be written. */
  waiting: number;
  readonly nextKey: () => string;
  readonly tell: (trouble: JournalTrouble) => void;
}

interface Gap {
  lost: number;
  readonly fromMs: number;
  toMs: number;
}

/** What waits for its turn: an event, or the place of some that were lost. `value`: as it goes into the log, once that is known. */
type Waiting =
  | { readonly type: "event"; readonly event: AgentEvent; value?: JsonValue; withheld?: boolean }
  | { readonly type: "gap"; readonly gap: Gap; value?: JsonValue };

/** Values under way to the log. The same ones go under the same key until they are there, or are refused. */
interface Batch {
  readonly key: string;
  readonly items: readonly Waiting[];
  readonly values: readonly JsonValue[];
}

const MAX_BATCH = 256;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** The events of one root run on their way into the log: in order, several at a time, and never more than may wait. */
export class RunQueue {
  readonly #setting: QueueSetting;
  readonly #rootRunId: string;
  readonly #stream: string;
  #waiting: Waiting[] = [];
  #batch: Batch | undefined;
  #batchSize = MAX_BATCH;
  #writing: Promise<void> | undefined;

  readonly #whenIdle: () => void;

  constructor(setting: QueueSetting, rootRunId: string, stream: string, whenIdle: () => void) {
    this.#setting = setting;
    this.#rootRunId = rootRunId;
    this.#stream = stream;
    this.#whenIdle = whenIdle;
  }

  get #idle(): boolean {
    return this.#batch === undefined && this.#waiting.length === 0;
  }

  add(event: AgentEvent): void {
    if (this.#setting.waiting < this.#setting.maxWaiting) {
      this.#setting.waiting++;
      this.#waiting.push({ type: "event", event });
    } else this.#lose(event);
    // That it fails was told, and the events are kept.
    if (this.#writing === undefined) this.write().catch(() => {});
  }

  /** Writes what waits. @throws what the log fails with, after the last attempt. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  #lose({ timeMs }: AgentEvent): void {
    const last = this.#waiting.at(-1);
    if (last?.type === "gap" && last.value === undefined) {
      last.gap.lost++;
      last.gap.toMs = timeMs;
      return;
    }
    this.#waiting.push({ type: "gap", gap: { lost: 1, fromMs: timeMs, toMs: timeMs } });
    this.#setting.tell({ type: "events_lost", rootRunId: this.#rootRunId, lost: 1, recorded: false });
  }

  async #writeAll(): Promise<void> {
    // What is told in one go is written in one go.
    await undefined;
    try {
      while (!this.#idle) {
        this.#batch ??= this.#nextBatch();
        await this.#writeBatch(this.#batch);
      }
      this.#whenIdle();
    } finally {
      // At once: an event that comes after this begins anew.
      this.#writing = undefined;
    }
  }

  async #writeBatch(batch: Batch): Promise<void> {
    try {
      await this.#append(batch);
      this.#done(batch);
    } catch (error) {
      if (!isTinyAgentsError(error, "invalid_request")) throw error;
      this.#takeBack(batch, error);
    }
  }

  #nextBatch(): Batch {
    const items = this.#waiting.splice(0, this.#batchSize);
    return { key: this.#setting.nextKey(), items, values: items.map((item) => this.#valueOf(item)) };
  }

  #valueOf(item: Waiting): JsonValue {
    item.value ??= item.type === "gap" ? gapEntry(item.gap) : this.#entryOf(item);
    return item.value;
  }

  #entryOf(item: Extract<Waiting, { type: "event" }>): JsonValue {
    try {
      return eventEntry(item.event, this.#setting.redaction);
    } catch (error) {
      return this.#withhold(item, isTinyAgentsError(error, "invalid_request") ? "refused" : "redaction");
    }
  }

  #withhold(item: Extract<Waiting, { type: "event" }>, reason: WithheldEvent["reason"]): JsonValue {
    item.withheld = true;
    this.#setting.tell({ type: "event_withheld", rootRunId: this.#rootRunId, eventId: item.event.id, reason });
    return withheldEntry(item.event, reason);
  }

  /** @throws what the log fails with, after the last attempt; at once where a repeat cannot help. */
  async #append({ key, values }: Batch): Promise<void> {
    const { log, clock, attempts } = this.#setting;
    for (let attempt = 1; ; attempt++) {
      try {
        await log.append(this.#stream, values, { idempotencyKey: key });
        return;
      } catch (error) {
        if (isTinyAgentsError(error, "invalid_request")) throw error;
        this.#failed(attempt, error);
        if (attempt >= attempts) throw error;
      }
      await clock.sleep(Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS));
    }
  }

  #failed(attempt: number, error: unknown): void {
    const { waiting } = this.#setting;
    this.#setting.tell({ type: "write_failed", rootRunId: this.#rootRunId, attempt, waiting, error });
  }

  #done({ items }: Batch): void {
    this.#batch = undefined;
    this.#batchSize = Math.min(this.#batchSize * 2, MAX_BATCH);
    for (const item of items) {
      if (item.type === "event") this.#setting.waiting--;
      else this.#setting.tell({ type: "events_lost", rootRunId: this.#rootRunId, lost: item.gap.lost, recorded: true });
    }
  }

  /**
   * One value that the log takes never must not keep the others out: fewer are tried, and what is refused alone is withheld.
   * @throws the refusal of what has no content of its own left.
   */
  #takeBack({ items }: Batch, refusal: unknown): void {
    const [only, ...others] = items;
    if (others.length === 0) {
      if (only?.type !== "event" || only.withheld === true) {
        this.#failed(1, refusal);
        throw refusal;
      }
      only.value = this.#withhold(only, "refused");
    }
    this.#batchSize = Math.max(1, items.length >> 1);
    this.#waiting.unshift(...items);
    this.#batch = undefined;
  }
}
