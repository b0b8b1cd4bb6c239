import { answer, call, type MockCall, type MockReply } from "../reply.js";
import { filesInQuestion, findFiles, rankFiles } from "../text/paths.js";
import { summarize } from "../text/summarize.js";
import { firstRole, type RoleOf } from "../tools/roles.js";
import { sameCall } from "../turn.js";
import { tellFindings, tellOpenings } from "./findings.js";
import { type Looked, lookedSoFar } from "./looked.js";
import type { Rule, Situation } from "./situation.js";

const MAX_SEARCHES = 3;
/** Files read in one turn of the model. */
const READ_AT_ONCE = 2;
/** Files read for one question, and files that could not be read. */
const MAX_READ = 4;
const MAX_FAILED = 4;
/** Enough of the question stands in one sentence: no further file is read. */
const GOOD_COVERAGE = 0.6;

const ASKS_FOR_LIST =
  /\b(?:list|which|what|how many)\b[^.?!]*\b(?:files|documents|pages)\b(?! (?:say|mention|contain|about|describe))/i;
const DOCUMENTS = "(?:documents?|docs|documentation|files?|folder|pages?|notes|project|repo(?:sitory)?)";
const ALL_OF_IT = `(?:(?:the|these|those|this|all|of) )*(?:${DOCUMENTS}|this|everything)(?: (?:here|all))*`;
const OVERVIEWS: readonly RegExp[] = [
  `what(?:'s| is| are) ${ALL_OF_IT} about`,
  `what(?:'s| is| are) (?:this|these)(?: ${DOCUMENTS})?`,
  `what(?:'s| is| are)? (?:in|inside) ${ALL_OF_IT}`,
  `what do(?:es)? ${ALL_OF_IT} (?:contain|say|cover)`,
  `(?:summari[sz]e|describe|introduce|overview of|summary of|tell me about) ${ALL_OF_IT}`,
].map((form) => new RegExp(`\\b${form}\\s*[?.!]*\\s*$`, "i"));

/** Looks a question up in files: searches, reads the best, quotes what fits. */
export const documents: Rule = (situation) => {
  const looked = lookedSoFar(situation);
  const search = firstRole(situation.roles, "search");
  const read = firstRole(situation.roles, "read");
  const list = firstRole(situation.roles, "list");
  const started = looked.searches.length + looked.reads.length + looked.lists.length > 0;
  if (search === undefined && read === undefined && list === undefined && !started) return undefined;
  if (ASKS_FOR_LIST.test(situation.turn.question)) {
    return listing(situation, looked, list) ?? tellFindings(situation, looked);
  }
  if (OVERVIEWS.some((form) => form.test(situation.turn.question))) {
    const told = overview(situation, looked, list, read);
    if (told !== undefined) return told;
  }
  if (situation.asked.length === 0 && filesInQuestion(situation.turn.question).length === 0) return undefined;
  return (
    readMentioned(situation, looked, read) ??
    firstSearch(situation, looked, search) ??
    readFound(situation, looked, read) ??
    searchAgain(situation, looked, search) ??
    listAll(situation, looked, list, read) ??
    tellFindings(situation, looked)
  );
};

function listing({ turn }: Situation, looked: Looked, list: RoleOf<"list"> | undefined): MockReply | undefined {
  const [done] = looked.lists;
  if (done === undefined) return list === undefined ? undefined : call([{ name: list.tool.name, args: {} }]);
  if (!done.ok) return answer(`I could not list the files: ${done.text}`);
  const files = findFiles(done.value ?? done.text).map(({ path }) => `- ${path}`);
  return answer(
    files.length === 0
      ? `${done.name} named no files for "${turn.question}".`
      : `There are ${files.length} files:\n${files.join("\n")}`,
  );
}

/** How the files begin: those that introduce a folder first. */
function overview(
  situation: Situation,
  looked: Looked,
  list: RoleOf<"list"> | undefined,
  read: RoleOf<"read"> | undefined,
): MockReply | undefined {
  const [done] = looked.lists;
  if (done === undefined) return list === undefined ? undefined : call([{ name: list.tool.name, args: {} }]);
  const files = findFiles(done.ok ? (done.value ?? done.text) : undefined);
  return readSome(situation, looked, read, rankFiles(files, [])) ?? tellOpenings(files.length, looked);
}

function readMentioned(situation: Situation, looked: Looked, read: RoleOf<"read"> | undefined): MockReply | undefined {
  return readSome(situation, looked, read, filesInQuestion(situation.turn.question));
}

function firstSearch(
  situation: Situation,
  looked: Looked,
  search: RoleOf<"search"> | undefined,
): MockReply | undefined {
  const knowsWhere = looked.reads.some(({ ok }) => ok);
  if (search === undefined || looked.searches.length > 0 || knowsWhere) return undefined;
  const query = search.phrase ? bestWord(situation.asked) : situation.asked.join(" ");
  return query === undefined ? undefined : call([{ name: search.tool.name, args: { [search.param]: query } }]);
}

function readFound(situation: Situation, looked: Looked, read: RoleOf<"read"> | undefined): MockReply | undefined {
  const found = [...looked.searches, ...looked.lists]
    .filter(({ ok }) => ok)
    .flatMap((each) => findFiles(each.value ?? each.text));
  const enough =
    looked.sources.length >= READ_AT_ONCE &&
    summarize(situation.turn.question, looked.sources).coverage >= GOOD_COVERAGE;
  return enough ? undefined : readSome(situation, looked, read, rankFiles(found, situation.asked));
}

/** After a search that found nothing: single words, the longest first. */
function searchAgain(
  { asked, turn }: Situation,
  looked: Looked,
  search: RoleOf<"search"> | undefined,
): MockReply | undefined {
  const failed = looked.searches.every(({ ok }) => !ok);
  if (search === undefined || looked.files > 0 || failed || looked.searches.length >= MAX_SEARCHES) return undefined;
  const next = byLength(asked)
    .map((word): MockCall => ({ name: search.tool.name, args: { [search.param]: word } }))
    .find(({ name, args }) => sameCall(turn, name, args) === undefined);
  return next === undefined ? undefined : call([next]);
}

/** Where nothing can be searched: whatever files there are. */
function listAll(
  { turn }: Situation,
  looked: Looked,
  list: RoleOf<"list"> | undefined,
  read: RoleOf<"read"> | undefined,
): MockReply | undefined {
  const searched = looked.searches.some(({ ok }) => ok);
  if (list === undefined || read === undefined || searched || looked.sources.length > 0) return undefined;
  const planned: MockCall = { name: list.tool.name, args: {} };
  return sameCall(turn, planned.name, planned.args) === undefined ? call([planned]) : undefined;
}

/** Reads the next of these files that have not been tried, a few at once, up to the bounds. */
function readSome(
  { turn }: Situation,
  looked: Looked,
  read: RoleOf<"read"> | undefined,
  paths: readonly string[],
): MockReply | undefined {
  const failed = looked.reads.filter(({ ok }) => !ok).length;
  const room = Math.min(READ_AT_ONCE, MAX_READ - (looked.reads.length - failed));
  if (read === undefined || room <= 0 || failed >= MAX_FAILED) return undefined;
  const next = paths
    .map((path): MockCall => ({ name: read.tool.name, args: { [read.param]: path } }))
    .filter(({ name, args }) => sameCall(turn, name, args) === undefined)
    .slice(0, room);
  return next.length === 0 ? undefined : call(next);
}

function byLength(words: readonly string[]): readonly string[] {
  return [...words].sort((one, other) => other.length - one.length);
}

function bestWord(words: readonly string[]): string | undefined {
  return byLength(words)[0];
}
