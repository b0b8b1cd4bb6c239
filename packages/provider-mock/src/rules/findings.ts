import { answer, type MockReply } from "../reply.js";
import { filesInQuestion, findFiles } from "../text/paths.js";
import { isNamedAfter, missingIn, openingOf, type Passage, type Source, summarize } from "../text/summarize.js";
import type { FinishedCall } from "../turn.js";
import { NOTE } from "./identity.js";
import type { Looked } from "./looked.js";
import type { Situation } from "./situation.js";

/** Less than this of what the question is about stands together anywhere. */
const POOR = 0.5;
const DISTANT = "Nothing that I found has all that the question is about";

/** The answer from what was found, with the file of each quote; or what stood in the way. */
export function tellFindings({ turn, asked }: Situation, looked: Looked): MockReply {
  const sources =
    looked.sources.length > 0 ? looked.sources : looked.searches.filter(({ ok }) => ok).flatMap(sourcesIn);
  const { passages, coverage } = summarize(turn.question, sources);
  const troubles = troublesOf(looked);
  if (passages.length > 0) {
    const quoted = quote(withOpening(passages, sources, asked));
    return answer(joinParts([coverage < POOR ? distant(missingIn(sources, asked)) : "", quoted, troubles, NOTE]));
  }
  if (filesInQuestion(turn.question).length > 0) {
    const opened = tellOpenings(sources.length, looked);
    if (opened !== undefined) return opened;
  }
  return answer(joinParts([`I found no answer: ${nothingBecause(looked)}.`, troubles, NOTE]));
}

/** A file that is named after the question says first what it is about. */
function withOpening(
  passages: readonly Passage[],
  sources: readonly Source[],
  asked: readonly string[],
): readonly Passage[] {
  const opening = sources
    .filter((source) => isNamedAfter(source, asked))
    .flatMap((source) => openingOf(source) ?? [])[0];
  if (opening === undefined) return passages;
  return [opening, ...passages.filter(({ source, text }) => source !== opening.source || text !== opening.text)];
}

function distant(missing: readonly string[]): string {
  const what = missing.length === 0 ? "" : `; nothing mentions ${missing.join(", ")}`;
  return `${DISTANT}${what}. This comes nearest:`;
}

/** How the files begin that were read, of so many; nothing when none has a sentence. */
export function tellOpenings(files: number, looked: Looked): MockReply | undefined {
  const openings = looked.sources.flatMap((source) => openingOf(source) ?? []);
  if (openings.length === 0) return undefined;
  const counted = files === 1 ? "There is 1 file." : `There are ${files} files.`;
  const some = openings.length < files ? " This is how some of them begin:" : " This is how they begin:";
  return answer(
    joinParts([
      `${counted}${files === 1 ? " This is how it begins:" : some}`,
      quote(openings),
      troublesOf(looked),
      NOTE,
    ]),
  );
}

/** What a search said of each file that it found; of none in particular when it names no files. */
function sourcesIn({ name, value, text }: FinishedCall): readonly Source[] {
  const files = findFiles(value ?? text);
  return files.length === 0 ? [{ name, text }] : files.map((file) => ({ name: file.path, text: file.text }));
}

function quote(passages: readonly Passage[]): string {
  const byPlace = new Map<string, string[]>();
  for (const { source, heading, text } of passages) {
    const place = heading === "" ? source : `${source}, "${heading}"`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), text]);
  }
  return [...byPlace].map(([place, texts]) => `${place}:\n${texts.join("\n")}`).join("\n\n");
}

function nothingBecause({ sources, searches, reads }: Looked): string {
  if (sources.length > 0)
    return `no sentence in ${sources.map(({ name }) => name).join(", ")} has the words of the question`;
  if (reads.length > 0) return "none of the files could be read";
  if (searches.some(({ ok }) => ok)) return "the search found nothing";
  return searches.length > 0 ? "the search failed" : "there was nothing to read";
}

function troublesOf({ reads, searches, lists }: Looked): string {
  const failed = [
    ...reads.filter(({ ok }) => !ok).map(({ path, text }) => `I could not read ${path}: ${text}`),
    ...[...searches, ...lists].filter(({ ok }) => !ok).map(({ name, text }) => `${name} failed: ${text}`),
  ];
  return failed.join("\n");
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
