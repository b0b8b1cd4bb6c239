/**
 * The made-up world that both contestants work in. Its model looks at the last message only and answers at once, so
 * what is measured is the code around it. While `turn < turns` it asks for `callsPerTurn` calls of the tool `next`;
 * a result that is lost or out of order makes it fail, never be fast.
 */
export const SYSTEM = "You count. Call the tool `next` until told otherwise.";
export const PROMPT = "start";
export const TOOL = { name: "next", description: "Returns the number after n." } as const;

/** A tool result of about 100 characters, like a short real one. */
const PADDING = `|${"x".repeat(93)}`;

/** How the model behaves; changed between runs. */
export interface World {
  turns: number;
  readonly callsPerTurn: number;
  /** Fragments of a streamed answer; 0 means whole answers. */
  fragments: number;
  /** How long the model takes, ms. */
  readonly delayMs: number;
  /** Tool calls that really ran. */
  ran: number;
}

export function world(options: Partial<World> = {}): World {
  return { turns: 0, callsPerTurn: 1, fragments: 0, delayMs: 0, ran: 0, ...options };
}

export function runTool(of: World, n: number): string {
  of.ran++;
  return `${n + 1}${PADDING}`;
}

/** The next turn, from the last tool result; 0 when there is none. */
export function turnAfter(result: string | undefined): number {
  const turn = result === undefined ? 0 : Number.parseInt(result, 10);
  if (Number.isNaN(turn)) throw new Error(`unreadable tool result: ${result}`);
  return turn;
}

let ids = 0;

export function nextCallId(): string {
  return `call_${(ids++).toString(36)}`;
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** What a contestant can do. Each gives the final text, so that a wrong result is noticed. */
export interface Contestant {
  readonly name: string;
  /** One run of as many turns as the world says. */
  loop(of: World, toolsPerTurn: number): Promise<string>;
  /** One streamed answer: how many fragments arrived; `onFirst` at the first. */
  stream(of: World, onFirst: () => void): Promise<number>;
}
