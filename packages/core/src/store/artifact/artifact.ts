import type { StoreAttributes, StoreKey, StoreVersion } from "../store.js";

/** Whose an artifact is, and what it is. */
export interface ArtifactFacts {
  /** The run that made it. */
  readonly runId: string;
  readonly rootRunId?: string | undefined;
  readonly threadId?: string | undefined;
  /** The tool call that made it. */
  readonly callId?: string | undefined;
  readonly name?: string | undefined;
  readonly mediaType: string;
}

/** An artifact as an index knows it. Its content is in a store, under `key`. JSON. */
export interface ArtifactRecord {
  /** Format. */
  readonly v: 1;
  /** The store that holds the content, by its name among the stores of a run. */
  readonly namespace: string;
  readonly key: StoreKey;
  /** The version of the content that this tells of. */
  readonly version: StoreVersion;
  readonly mediaType: string;
  /** Length of the content, in bytes; of text and JSON: of their UTF-8. */
  readonly bytes: number;
  /** SHA-256 of the content, in hexadecimal digits. */
  readonly sha256: string;
  readonly name?: string;
  readonly runId: string;
  readonly rootRunId?: string;
  readonly threadId?: string;
  readonly callId?: string;
  /** Ms since 1970. */
  readonly createdAtMs: number;
}

const NAMES = ["rootRunId", "threadId", "callId", "name"] as const;

/** The attributes under which an artifact's content is stored: they say enough to find it again when its index is lost. */
export function artifactAttributes(facts: ArtifactFacts): StoreAttributes {
  const attributes: Record<string, string> = { runId: facts.runId, mediaType: facts.mediaType };
  for (const name of NAMES) {
    const value = facts[name];
    if (value !== undefined && value !== "") attributes[name] = value;
  }
  return attributes;
}

/** What attributes say of an artifact; nothing when what they are beside is none. */
export function artifactFacts(attributes: StoreAttributes): ArtifactFacts | undefined {
  const { runId, mediaType } = attributes;
  if (typeof runId !== "string" || runId === "" || typeof mediaType !== "string") return undefined;
  const facts: Record<string, string> = {};
  for (const name of NAMES) {
    const value = attributes[name];
    if (typeof value === "string" && value !== "") facts[name] = value;
  }
  return { runId, mediaType, ...facts };
}
