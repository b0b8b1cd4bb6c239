import {
  type ArtifactIndex,
  type ArtifactQuery,
  type ArtifactRecord,
  artifactAttributes,
  type Clock,
  checkFields,
  checkOptions,
  type FieldRule,
  type IdSource,
  invalidArgument,
  type NewArtifact,
  type Page,
  randomIds,
  readStoreKey,
  type Store,
  type StoreCallOptions,
  type StoreKey,
  storeKeyText,
  systemClock,
} from "@tinyagents/core";
import { checkId } from "../indexed/arguments.js";
import { checkOrderQuery, IndexedRecords } from "../indexed/indexed-records.js";
import { listMatching } from "../indexed/list-matching.js";
import { rules } from "../option-rules.js";
import { artifactKind } from "./artifact-kind.js";
import { type ContentWatcher, watchedStore } from "./content-store.js";
import { describeContent } from "./describe.js";
import { sweepArtifacts } from "./sweep.js";

export interface ArtifactIndexOptions {
  /** Where contents are kept: any store that keeps bytes. It may be the index's own. */
  readonly content: Store;
  /** The name of `content` among the stores of a run. Default `artifacts`. */
  readonly namespace?: string | undefined;
  /** The names before all keys of the index. Default `["artifact-index"]`. */
  readonly prefix?: StoreKey | undefined;
  readonly clock?: Clock | undefined;
  /** Where keys come from of artifacts that were given none. Default: random. */
  readonly ids?: IdSource | undefined;
}

const RULES: { readonly [Option in keyof ArtifactIndexOptions]-?: FieldRule } = {
  content: ["a Store", (value) => typeof (value as Store | null)?.put === "function"],
  namespace: rules.name,
  prefix: rules.keyPrefix,
  clock: rules.clock,
  ids: rules.ids,
};

/**
 * Which artifacts runs have made, kept in a keyed store; their contents in another one, or the same.
 * @throws `TypeError` for options that cannot be.
 */
export function artifactIndex(store: Store, options: ArtifactIndexOptions): ArtifactIndex {
  checkOptions(options, RULES, "artifactIndex: options");
  const {
    content,
    namespace = "artifacts",
    prefix = ["artifact-index"],
    clock = systemClock,
    ids = randomIds(),
  } = options;
  if (content === undefined) throw new TypeError("artifactIndex: options.content: a Store is expected");
  const records = new IndexedRecords(store, artifactKind(prefix), clock);
  const watcher: ContentWatcher = {
    async stored(stored, call) {
      const entry = await describeContent(namespace, stored);
      if (entry === undefined) await records.delete(storeKeyText(stored.key), undefined, call);
      else await records.change(storeKeyText(stored.key), () => entry, call);
    },
    async gone(key, call) {
      await records.delete(storeKeyText(key), undefined, call);
    },
  };
  const contents = watchedStore(content, watcher, clock);
  const places = { ...watcher, content, records, idOf: storeKeyText };
  const get = async (key: StoreKey, call?: StoreCallOptions): Promise<ArtifactRecord | undefined> =>
    (await records.get(storeKeyText(readStoreKey(key)), call))?.record;
  return {
    store: contents,
    get,
    async save(artifact, call) {
      const { key, value, attributes } = contentOf(artifact, ids);
      await contents.put(key, value, { attributes, ...call });
      return (await get(key, call)) as ArtifactRecord;
    },
    list: async (query = {}, call) => listArtifacts(records, query, call),
    async delete(key, call) {
      const known = (await get(key, call)) !== undefined;
      return (await contents.delete(key, call)) || known;
    },
    sweep: async ({ cursor, limit, signal } = {}) => sweepArtifacts(places, cursor, limit, { signal }),
  };
}

const OPTIONAL = ["rootRunId", "threadId", "callId", "name"] as const;
const FIELDS = ["data", "key", "runId", "mediaType", ...OPTIONAL] as const;

/** What is stored of an artifact. @throws `invalid_request` */
function contentOf(artifact: NewArtifact, ids: IdSource) {
  checkFields(artifact, FIELDS, "artifact");
  const { data, key, ...facts } = artifact;
  checkId(facts.runId, "artifact.runId");
  for (const name of OPTIONAL) if (facts[name] !== undefined) checkId(facts[name], `artifact.${name}`);
  if (typeof facts.mediaType !== "string") throw invalidArgument("artifact.mediaType", "a text is expected");
  const value =
    typeof data === "string" ? ({ type: "text", text: data } as const) : ({ type: "bytes", bytes: data } as const);
  return { key: key ?? [facts.runId, ids.next("artifact")], value, attributes: artifactAttributes(facts) };
}

function listArtifacts(
  records: IndexedRecords<ArtifactRecord>,
  query: ArtifactQuery,
  call: StoreCallOptions | undefined,
): Promise<Page<ArtifactRecord>> {
  checkOrderQuery(query, ["runId", "rootRunId", "threadId", "name"]);
  const { runId, rootRunId, threadId, name, ...page } = query;
  const owners = [
    ["run", runId, "query.runId"],
    ["root", rootRunId, "query.rootRunId"],
    ["thread", threadId, "query.threadId"],
  ] as const;
  const [owner, ...others] = owners.filter(([, id]) => id !== undefined);
  if (others.length > 0)
    throw invalidArgument("query", "runId, rootRunId and threadId cannot be asked for together; leave all but one out");
  if (name !== undefined) checkId(name, "query.name");
  const list = (order: string, ...parts: readonly string[]): Promise<Page<ArtifactRecord>> =>
    listMatching(records, order, parts, page, (artifact) => name === undefined || artifact.name === name, call);
  if (owner !== undefined) return list(owner[0], checkId(owner[1], owner[2]));
  return name === undefined ? list("time") : list("name", name);
}
