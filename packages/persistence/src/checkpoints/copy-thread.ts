import { type CheckpointThread, invalidArgument, type StoreCallOptions } from "@tinyagents/core";
import { checkpointKey, type EntryPlaces, type LineageEntry, type PlacesEntry } from "./checkpoint-entry.js";
import { changedMeanwhile, threadTaken } from "./conflicts.js";
import type { LineageLog } from "./lineage-log.js";
import type { Lineages } from "./lineages.js";

export interface CopyTerms {
  readonly threadId: string;
  readonly toThreadId: string;
  readonly options: StoreCallOptions;
}

/**
 * Copies the graphs of a thread to another one, a checkpoint at a time. The outermost graph is begun first and done last:
 * a copy that is stopped half-way is listed, and restores nothing.
 */
export async function copyThread(
  lineages: Lineages,
  namespaces: readonly string[],
  { threadId, toThreadId, options }: CopyTerms,
): Promise<void> {
  const withCheckpoints: string[] = [];
  for (const namespace of namespaces) {
    const last = await lineages.use({ threadId, namespace }, ({ entries }) => entries.last(options));
    if (last !== undefined && last.entry.headAt !== null && !last.entry.copying) withCheckpoints.push(namespace);
  }
  if (withCheckpoints.length === 0) throw invalidArgument("threadId", `thread "${threadId}" has no checkpoints`);
  const inner = withCheckpoints.filter((namespace) => namespace !== "");
  const copyOf = (namespace: string): Copy => new Copy(lineages, { threadId: toThreadId, namespace }, options);
  const outermost = copyOf("");
  await outermost.begin();
  for (const namespace of inner) {
    const copy = copyOf(namespace);
    await copy.begin();
    await lineages.use({ threadId, namespace }, ({ entries }) => copy.fill(entries));
  }
  await lineages.use({ threadId, namespace: "" }, ({ entries }) => outermost.fill(entries));
}

/** What entries say after the first checkpoint. */
type HeadPlaces = EntryPlaces & { readonly headAt: number; readonly baseAt: number };

/** One lineage that is being copied: its entries stand from 0 on, and have no owners. */
class Copy {
  readonly #lineages: Lineages;
  readonly #to: CheckpointThread;
  readonly #options: StoreCallOptions;
  #next = 0;
  #places: EntryPlaces = { v: 1, headAt: null, baseAt: null, startAt: 0, fence: 0, copying: true };

  constructor(lineages: Lineages, to: CheckpointThread, options: StoreCallOptions) {
    this.#lineages = lineages;
    this.#to = to;
    this.#options = options;
  }

  begin(): Promise<void> {
    return this.#append([{ ...this.#places, type: "copy" }]);
  }

  /** Copies what is there, and lets everybody use the copy. */
  async fill(from: LineageLog): Promise<void> {
    const last = await from.last(this.#options);
    const start = last?.entry.startAt ?? 0;
    /** Where the copy of each checkpoint stands, by where the checkpoint stands. */
    const moved = new Map<number, number>();
    let tasks: LineageEntry[] = [];
    let seen = -1;
    for await (const { offset, entry } of from.from(start, this.#options)) {
      seen = offset;
      if (entry.type === "task" && moved.get(entry.headAt) === this.#places.headAt) {
        tasks.push({ ...entry, ...this.#headPlaces() });
      } else if (entry.type === "checkpoint" && entry.baseAt >= start) {
        const headAt = this.#next + tasks.length;
        moved.set(entry.headAt, headAt);
        const baseAt = moved.get(entry.baseAt);
        if (baseAt === undefined) throw changedMeanwhile(this.#to.threadId);
        this.#places = { ...this.#places, headAt, baseAt };
        const row = { ...entry.row, threadId: this.#to.threadId };
        await this.#append([...tasks, { ...entry, ...this.#headPlaces(), row }], checkpointKey(row.checkpointId));
        tasks = [];
      }
    }
    if (seen < (last?.offset ?? seen)) throw changedMeanwhile(this.#to.threadId);
    const { copying: _, ...places } = this.#places;
    await this.#append([...tasks, { ...places, type: "copy" } satisfies PlacesEntry]);
  }

  #headPlaces(): HeadPlaces {
    return this.#places as HeadPlaces;
  }

  async #append(added: readonly LineageEntry[], key?: string): Promise<void> {
    await this.#lineages.use(this.#to, ({ entries }) =>
      entries.write(
        ({ next }) => {
          if (next !== this.#next) throw threadTaken(this.#to.threadId);
          return added;
        },
        this.#options,
        key,
      ),
    );
    this.#next += added.length;
  }
}
