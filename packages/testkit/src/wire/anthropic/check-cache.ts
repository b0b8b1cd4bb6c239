import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { objectsOf, wrong } from "./wrong.js";

const MOST = 4;

/**
 * What the API refuses in cache breakpoints: more than four, and a long one after a short one.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function* checkCache(body: JsonObject): Generator<Problem> {
  const marks = marksOf(body);
  for (const { mark, place } of marks) {
    if (isJsonObject(mark) && mark.type === "ephemeral" && [undefined, "5m", "1h"].includes(mark.ttl as string))
      continue;
    yield wrong(place, "Input should be an object of type 'ephemeral', with a ttl of '5m' or '1h' if it has one");
  }
  if (marks.length > MOST) {
    const message = `A maximum of ${MOST} blocks with cache_control may be provided. Found ${marks.length}.`;
    yield { param: "cache_control", message, code: null };
  }
  const short = marks.findIndex(({ mark }) => !isLong(mark));
  const long = marks.findLastIndex(({ mark }) => isLong(mark));
  if (short === -1 || short > long) return;
  const order = "blocks are processed in the following order: `tools`, `system`, `messages`";
  yield wrong(
    marks[long]?.place ?? "",
    `a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that ${order}.`,
  );
}

interface Mark {
  readonly mark: JsonValue;
  readonly place: string;
}

/** Marks in the order in which the API reads what they stand on. */
function marksOf({ tools, system, messages, cache_control: whole }: JsonObject): readonly Mark[] {
  return [
    ...objectsOf(tools).flatMap((tool, at) => markOf(tool, `tools.${at}`)),
    ...objectsOf(system).flatMap((block, at) => markOf(block, `system.${at}`)),
    ...objectsOf(messages).flatMap(({ content }, at) => deepMarks(content, `messages.${at}`)),
    ...(whole === undefined || whole === null ? [] : [{ mark: whole, place: "cache_control" }]),
  ];
}

function deepMarks(content: JsonValue | undefined, place: string): readonly Mark[] {
  return objectsOf(content).flatMap((block, at) => [
    ...deepMarks(block.content, `${place}.content.${at}`),
    ...markOf(block, `${place}.content.${at}`),
  ]);
}

function markOf({ cache_control: mark }: JsonObject, place: string): readonly Mark[] {
  return mark === undefined || mark === null ? [] : [{ mark, place: `${place}.cache_control` }];
}

function isLong(mark: JsonValue): boolean {
  return isJsonObject(mark) && mark.ttl === "1h";
}
