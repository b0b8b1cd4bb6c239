import { corruptData, readObject, readVersion } from "../../guarded-read.js";
import { amount, type Check, list, optional, shape, text, whole } from "../../shape.js";
import type { ArtifactRecord } from "./artifact.js";

const FORMAT = 1;

const sha256: Check = (value, place) => {
  text(value, place);
  if (!/^[0-9a-f]{64}$/.test(value as string)) throw corruptData(place, "64 hexadecimal digits are expected");
};

const fields: Check = shape<Omit<ArtifactRecord, "v">>({
  namespace: text,
  key: list(text),
  version: text,
  mediaType: text,
  bytes: whole(),
  sha256,
  name: optional(text),
  runId: text,
  rootRunId: optional(text),
  threadId: optional(text),
  callId: optional(text),
  createdAtMs: amount,
});

/**
 * An artifact's entry that was stored, checked field by field.
 * @throws `corrupt_data` that names the place, `version_mismatch` for a format of the future.
 */
export function readArtifact(value: unknown, place: string): ArtifactRecord {
  const artifact = readObject(value, place);
  readVersion(artifact, FORMAT, place);
  fields(artifact, place);
  return artifact as unknown as ArtifactRecord;
}
