import { isTinyAgentsError, type Store } from "@tinyagents/core";
import { sqliteBackend } from "@tinyagents/store-sqlite";

/** What a process is told. */
export interface ProgramOptions {
  readonly path: string;
  readonly name: string;
  /** How often it writes: a record, a value of its own stream, one of a stream that all write, and a count that all raise. */
  readonly rounds: number;
}

const { path, name, rounds } = JSON.parse(process.argv[2] ?? "") as ProgramOptions;
const { store, log, close } = sqliteBackend({ path });

/** Adds one to a count that every process adds to. */
async function raise(key: readonly string[]): Promise<void> {
  for (;;) {
    const found = await store.get(key);
    const count = found?.value.type === "json" ? Number(found.value.value) : 0;
    if (await wins(store, key, count + 1, found?.version ?? null)) return;
  }
}

async function wins(to: Store, key: readonly string[], value: number, ifVersion: string | null): Promise<boolean> {
  try {
    await to.put(key, { type: "json", value }, { ifVersion });
    return true;
  } catch (error) {
    if (isTinyAgentsError(error, "conflict")) return false;
    throw error;
  }
}

for (let round = 0; round < rounds; round++) {
  await log.append(name, [round]);
  process.stdout.write(`${round}\n`);
  await log.append("all", [{ name, round }], { idempotencyKey: `${name} ${round}` });
  await store.put([name, String(round % 10)], { type: "json", value: round }, { attributes: { name } });
  await raise(["count"]);
}
await close();
