import { worksOn } from "./abandon.js";

const FLUSH_MS = 500;

/** Ends the program once what it wrote has gone out, and within half a second if that cannot be. */
export async function endSoon(code: number): Promise<never> {
  const written = Promise.all(
    [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write("", () => resolve()))),
  );
  await Promise.race([written, new Promise((resolve) => setTimeout(resolve, FLUSH_MS))]);
  return endNow(code);
}

/**
 * Ends the program at once. Node's own exit waits for a read that the system does not answer, so in that case the
 * program ends by the signal that Ctrl-C sends, which a shell shows as 130.
 */
export function endNow(code: number): never {
  if (worksOn()) {
    process.removeAllListeners("SIGINT");
    process.kill(process.pid, "SIGINT");
  }
  process.exit(code);
}
