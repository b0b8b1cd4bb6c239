import {
  type ArtifactRecord,
  artifactFacts,
  type StoreAttributes,
  type StoreKey,
  type StoreValue,
  type StoreVersion,
} from "@tinyagents/core";
import { withoutUndefined } from "../indexed/arguments.js";

/** Content that was stored. */
export interface StoredContent {
  readonly key: StoreKey;
  readonly value: StoreValue;
  readonly attributes: StoreAttributes;
  readonly version: StoreVersion;
  readonly atMs: number;
}

/** The entry of some content; nothing when its attributes name no run. */
export async function describeContent(
  namespace: string,
  { key, value, attributes, version, atMs }: StoredContent,
): Promise<ArtifactRecord | undefined> {
  const facts = artifactFacts(attributes);
  if (facts === undefined) return undefined;
  const content = contentBytes(value);
  const { runId, mediaType, rootRunId, threadId, callId, name } = facts;
  return {
    v: 1,
    namespace,
    key: [...key],
    version,
    mediaType,
    bytes: content.length,
    sha256: await sha256(content),
    ...withoutUndefined({ name }),
    runId,
    ...withoutUndefined({ rootRunId, threadId, callId }),
    createdAtMs: atMs,
  } as ArtifactRecord;
}

function contentBytes(value: StoreValue): Uint8Array {
  if (value.type === "bytes") return value.bytes;
  return new TextEncoder().encode(value.type === "text" ? value.text : JSON.stringify(value.value));
}

async function sha256(content: Uint8Array): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", content as Uint8Array<ArrayBuffer>);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
