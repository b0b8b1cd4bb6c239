import { type EventSink, fanOut } from "@tinyagents/core";

/** What a sink of ours was put together from. */
const MEMBERS = new WeakMap<EventSink, readonly EventSink[]>();

/** Whoever watches the run above gets the events of a run below it; a sink of its own agent gets them too. Nobody gets one twice. */
export function sinksBelow(above: EventSink | undefined, own: EventSink | undefined): EventSink | undefined {
  if (above === undefined || own === undefined) return own ?? above;
  const members = MEMBERS.get(above) ?? [above];
  if (members.includes(own)) return above;
  const together = fanOut([...members, own]);
  MEMBERS.set(together, [...members, own]);
  return together;
}
