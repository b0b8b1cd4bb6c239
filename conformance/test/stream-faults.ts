import type { AgentStreamSetting } from "@tinyagents/conformance";
import type { AgentEvent, AgentStreamItem, StreamMode } from "@tinyagents/core";
import type { StreamFault } from "./memory-agent.js";

type Stream = (setting: AgentStreamSetting) => AsyncIterable<AgentStreamItem>;

function withStream(
  change: (inner: Stream, setting: AgentStreamSetting) => AsyncIterable<AgentStreamItem>,
): StreamFault {
  return (subject) => ({ ...subject, stream: (setting) => change(subject.stream, setting) });
}

function items(change: (item: AgentStreamItem, at: number) => readonly AgentStreamItem[]): StreamFault {
  return withStream(async function* (inner, setting) {
    let at = 0;
    for await (const item of inner(setting)) yield* change(item, at++);
  });
}

function without(type: AgentStreamItem["type"]): StreamFault {
  return items((item) => (item.type === type ? [] : [item]));
}

/** Has items of every mode, whatever was asked for. */
function deafToModes(all: readonly StreamMode[]): StreamFault {
  return withStream((inner, setting) => inner({ ...setting, modes: all }));
}

const ALL: readonly StreamMode[] = ["messages", "tools", "usage", "cost", "updates", "events", "final"];

function event(change: (seq: number) => Partial<Pick<AgentEvent, "id" | "seq" | "attempt">>): StreamFault {
  return items((item) =>
    item.type === "event"
      ? [{ ...item, event: { ...item.event, ...change(item.event.seq) } } as AgentStreamItem]
      : [item],
  );
}

/** For each check, by its name, a loop that breaks that one promise. */
export const streamFaults: { readonly [check: string]: StreamFault } = {
  ...Object.fromEntries(
    ALL.map((mode) => [`has items of the mode ${mode} where they are asked for, and no others`, deafToModes(ALL)]),
  ),
  "has the same items of a mode, alone or among others": withStream(async function* (inner, setting) {
    for await (const item of inner(setting)) if (item.type !== "usage" || setting.modes.length === 1) yield item;
  }),
  "has fragments that add up to each message": items((item, at) => (at === 0 ? [] : [item])),
  "tells of a restart, after which the fragments add up anew": without("restart"),
  "has one result for each tool that was started, after its start": items((item) =>
    item.type === "tool_result" ? [item, item] : [item],
  ),
  "tells of calls, tools, results and the answer in that order": withStream(async function* (inner, setting) {
    const late: AgentStreamItem[] = [];
    for await (const item of inner(setting)) {
      if (item.type === "tool_started" || item.type === "tool_result") late.push(item);
      else yield item;
    }
    yield* late;
  }),
  "has the totals after each model call": withStream(async function* (inner, setting) {
    let last: AgentStreamItem | undefined;
    for await (const item of inner(setting)) {
      if (item.type === "usage") last = item;
      else yield item;
    }
    if (last !== undefined) yield last;
  }),
  "has the final item once, at the very end, with the run": items((item) =>
    item.type === "final" ? [item, item] : [item],
  ),
  "names the run in every item, always the same": items((item, at) =>
    "runId" in item ? [{ ...item, runId: `run-${at}` }] : [item],
  ),
  "gives events ids of their own, and numbers that rise": event((seq) => ({ seq: -seq })),
  "gives each event of a run that was never resumed the first attempt": event((seq) => ({ attempt: seq })),
  "begins its events with run.started and ends them with run.completed": items((item) =>
    item.type === "event" && item.event.type === "run.completed" ? [] : [item],
  ),
  "starts nothing before it is read": withStream((inner, setting) => {
    const iterator = inner(setting)[Symbol.asyncIterator]();
    const first = iterator.next();
    return {
      [Symbol.asyncIterator]: () => ({ next: () => first, return: async () => ({ done: true, value: undefined }) }),
    };
  }),
  "stops the model when its reader leaves": withStream((inner, setting) => {
    const iterator = inner(setting)[Symbol.asyncIterator]();
    return {
      [Symbol.asyncIterator]: () => ({
        next: () => iterator.next(),
        return: async () => ({ done: true, value: undefined }),
      }),
    };
  }),
  "stops the model, and fails with cancelled, when its signal aborts": withStream(async function* (inner, setting) {
    try {
      yield* inner(setting);
    } catch {}
  }),
  "throws the typed error of a run that fails, after its items and without a final one": withStream(
    async function* (inner, setting) {
      try {
        yield* inner(setting);
      } catch (error) {
        throw new Error(String(error));
      }
    },
  ),
};
