import { isTinyAgentsError } from "@tinyagents/core";
import { jsonlBackend } from "@tinyagents/store-jsonl";

/** What the process is to do. */
export type Task =
  /** Appends texts to a stream, so many at once, until so many are acknowledged; tells each that is. */
  | {
      readonly type: "append";
      readonly stream: string;
      readonly name: string;
      readonly count: number;
      readonly atOnce: number;
    }
  /** Adds one to a number, so often, by reading it and writing it over. */
  | { readonly type: "count"; readonly key: string; readonly count: number };

export interface ProgramOptions {
  readonly folder: string;
  readonly task: Task;
}

const { folder, task } = JSON.parse(process.argv[2] ?? "") as ProgramOptions;
const { store, log, close } = jsonlBackend({ folder });

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function append(task: Extract<Task, { type: "append" }>): Promise<void> {
  const { stream, name, count, atOnce } = task;
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < count) {
      const id = `${name}-${next++}`;
      const offset = await log.append(
        stream,
        [
          { id, first: true },
          { id, first: false },
        ],
        { idempotencyKey: id },
      );
      tell(`${offset} ${id}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
}

async function count({ key, count: times }: Extract<Task, { type: "count" }>): Promise<void> {
  for (let done = 0; done < times; ) {
    const found = await store.get([key]);
    const value = found?.value.type === "json" ? Number(found.value.value) : 0;
    try {
      await store.put([key], { type: "json", value: value + 1 }, { ifVersion: found?.version ?? null });
      done++;
    } catch (error) {
      if (!isTinyAgentsError(error, "conflict")) throw error;
    }
  }
}

tell("begin");
if (task.type === "append") await append(task);
else await count(task);
await close();
tell("end");
