import { approve } from "./approve.js";
import { cancel } from "./cancel.js";
import { remember } from "./remember.js";
import { stream } from "./stream.js";
import { structure } from "./structure.js";
import { useTools } from "./use-tools.js";

/** What an agent did, as data: the same wherever it ran. */
export interface Report {
  readonly tools: Awaited<ReturnType<typeof useTools>>;
  readonly stream: Awaited<ReturnType<typeof stream>>;
  readonly output: Awaited<ReturnType<typeof structure>>;
  readonly memory: Awaited<ReturnType<typeof remember>>;
  readonly cancelled: Awaited<ReturnType<typeof cancel>>;
  readonly approval: Awaited<ReturnType<typeof approve>>;
}

/** Runs agents in every way that does not need Node, and says what came of it. */
export async function program(): Promise<Report> {
  return {
    tools: await useTools(),
    stream: await stream(),
    output: await structure(),
    memory: await remember(),
    cancelled: await cancel(),
    approval: await approve(),
  };
}
