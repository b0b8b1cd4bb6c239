import type { AppendStore, Page, StoreCallOptions } from "@tinyagents/core";
import { streamName, unescapePart } from "../stream-name.js";

/** How many names are asked for at once. */
const PAGE = 200;

/** Ids of threads whose outermost graph has checkpoints, in the order of their streams. */
export async function listThreads(
  log: AppendStore,
  prefix: string,
  cursor: string | undefined,
  limit: number,
  options: StoreCallOptions,
): Promise<Page<string>> {
  const items: string[] = [];
  for (let after = cursor === undefined ? undefined : pastThread(prefix, cursor); ; ) {
    const names = await log.streams(`${prefix}/`, {
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
      ...options,
    });
    const last = names.at(-1);
    if (last === undefined) return { items };
    for (const { threadId, namespace } of names.map((name) => partsOf(prefix, name))) {
      if (namespace !== "") continue;
      if (items.length === limit) return { items, cursor: items.at(-1) as string };
      items.push(threadId);
    }
    after = pastThread(prefix, partsOf(prefix, last).threadId);
  }
}

/** The graphs of a thread that have checkpoints, the outermost first. */
export async function namespacesOf(
  log: AppendStore,
  prefix: string,
  threadId: string,
  options: StoreCallOptions,
): Promise<readonly string[]> {
  const start = streamName(prefix, threadId, "");
  const found: string[] = [];
  for (let after: string | undefined; ; ) {
    const names = await log.streams(start, { limit: PAGE, ...(after === undefined ? {} : { after }), ...options });
    if (names.length === 0) return found;
    found.push(...names.map((name) => partsOf(prefix, name).namespace));
    after = names.at(-1);
  }
}

/** The same, the outermost last: what is done to all of a thread is done when it is done to that. */
export function rootLast(namespaces: readonly string[]): readonly string[] {
  return [...namespaces].sort((one, other) => Number(one === "") - Number(other === ""));
}

/** A name that comes after all streams of a thread, and before those of the next: `0` follows `/`. */
function pastThread(prefix: string, threadId: string): string {
  return `${streamName(prefix, threadId)}0`;
}

function partsOf(prefix: string, name: string): { readonly threadId: string; readonly namespace: string } {
  const [threadId = "", namespace = ""] = name
    .slice(prefix.length + 1)
    .split("/")
    .map(unescapePart);
  return { threadId, namespace };
}
