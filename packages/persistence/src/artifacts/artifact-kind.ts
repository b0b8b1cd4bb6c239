import { type ArtifactRecord, readArtifact, type StoreKey } from "@tinyagents/core";
import { type OrderParts, type RecordKind, timeName } from "../indexed/record-kind.js";

/** Entries of artifacts as records: found by when they were made, among those of a run, a tree, a thread, a name. */
export function artifactKind(prefix: StoreKey): RecordKind<ArtifactRecord> {
  const under = (name: string | undefined, { createdAtMs }: ArtifactRecord): OrderParts | undefined =>
    name === undefined ? undefined : [name, timeName(createdAtMs)];
  return {
    name: "entry of artifact",
    prefix,
    read: readArtifact,
    orders: {
      time: ({ createdAtMs }) => [timeName(createdAtMs)],
      run: (artifact) => under(artifact.runId, artifact),
      root: (artifact) => under(artifact.rootRunId, artifact),
      thread: (artifact) => under(artifact.threadId, artifact),
      name: (artifact) => under(artifact.name, artifact),
    },
  };
}
