import { isJsonObject, type JsonObject } from "@tinyagents/core";
import type { Problem } from "../problem.js";
import { checkText, wrong } from "./wrong.js";

/** @see https://platform.claude.com/docs/en/build-with-claude/vision */
const IMAGES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Where the bytes of an image are. */
export function* checkImage({ source }: JsonObject, place: string): Generator<Problem> {
  if (!isJsonObject(source)) return yield wrong(`${place}.source`, "Field required");
  yield* checkSource(source, `${place}.source`, { base64: IMAGES });
}

/**
 * Where the bytes of a document are.
 * @see https://platform.claude.com/docs/en/build-with-claude/pdf-support
 */
export function* checkDocument({ source }: JsonObject, place: string): Generator<Problem> {
  if (!isJsonObject(source)) return yield wrong(`${place}.source`, "Field required");
  if (source.type === "content") {
    if (typeof source.content === "string" || Array.isArray(source.content)) return;
    return yield wrong(`${place}.source.content.content`, "Input should be a valid string or list");
  }
  yield* checkSource(source, `${place}.source`, { base64: ["application/pdf"], text: ["text/plain"] });
}

function* checkSource(
  source: JsonObject,
  place: string,
  mediaTypes: { readonly [type: string]: readonly string[] },
): Generator<Problem> {
  const { type, media_type: mediaType, data, url, file_id: fileId } = source;
  if (type === "url") return yield* checkText(url, `${place}.url.url`, /^https?:\/\//);
  if (type === "file") return yield* checkText(fileId, `${place}.file.file_id`);
  const allowed = typeof type === "string" ? mediaTypes[type] : undefined;
  if (allowed === undefined) {
    const expected = [...Object.keys(mediaTypes), "url", "file"].map((name) => `'${name}'`).join(", ");
    return yield wrong(place, `Input tag '${String(type)}' does not match any of the expected tags: ${expected}`);
  }
  if (typeof mediaType !== "string" || !allowed.includes(mediaType)) {
    yield wrong(`${place}.${type}.media_type`, `Input should be ${allowed.map((one) => `'${one}'`).join(" or ")}`);
  }
  yield* checkText(data, `${place}.${type}.data`, type === "base64" ? /^[A-Za-z0-9+/]+={0,2}$/ : /\S/);
}
