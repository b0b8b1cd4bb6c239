import { isJsonObject, type JsonObject, type JsonValue } from "@tinyagents/core";
import type { Problem } from "../../problem.js";
import { invalid } from "../invalid.js";
import { checkFields, missing, unsupportedValue } from "./wrong.js";

const ASKED = ["input_text", "input_image", "input_file", "input_audio"];
const SAID = ["output_text", "refusal"];

/** What the API refuses in the content of a message. An assistant says output, all others give input. */
export function checkContent(content: JsonValue | undefined, role: string, place: string): Generator<Problem> {
  return checkParts(content, role === "assistant" ? SAID : ASKED, `${place}.content`);
}

/** What the API refuses in what a tool gave. */
export function checkOutput(output: JsonValue | undefined, place: string): Generator<Problem> {
  return checkParts(output, ["input_text", "input_image", "input_file"], `${place}.output`);
}

function* checkParts(parts: JsonValue | undefined, types: readonly string[], place: string): Generator<Problem> {
  if (typeof parts === "string") return;
  if (parts === undefined) return yield missing(place);
  if (!Array.isArray(parts)) return yield invalid(place, "expected a string or an array of objects");
  if (parts.length === 0) {
    const message = `Invalid '${place}': empty array. Expected an array with minimum length 1.`;
    return yield { param: place, message, code: "empty_array" };
  }
  for (const [at, part] of parts.entries()) yield* checkPart(part, types, `${place}[${at}]`);
}

function* checkPart(part: JsonValue, types: readonly string[], place: string): Generator<Problem> {
  if (!isJsonObject(part)) return yield invalid(place, "expected an object");
  const type = String(part.type);
  if (!types.includes(type)) return yield unsupportedValue(`${place}.type`, type, types);
  yield* checkFields(part, FIELDS[type] ?? [], place);
  switch (type) {
    case "input_text":
    case "output_text":
      if (typeof part.text !== "string") yield missing(`${place}.text`);
      return;
    case "refusal":
      if (typeof part.refusal !== "string") yield missing(`${place}.refusal`);
      return;
    case "input_image":
      return yield* checkImage(part, place);
    case "input_file":
      return yield* checkFile(part, place);
  }
}

const FIELDS: { readonly [type: string]: readonly string[] } = {
  input_text: ["type", "text", "prompt_cache_breakpoint"],
  input_image: ["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"],
  input_file: ["type", "file_data", "file_id", "file_url", "filename", "detail", "prompt_cache_breakpoint"],
  input_audio: ["type", "input_audio"],
  output_text: ["type", "text", "annotations", "logprobs"],
  refusal: ["type", "refusal"],
};

function* checkImage({ image_url: url, file_id: file }: JsonObject, place: string): Generator<Problem> {
  if (typeof file === "string") return;
  if (typeof url === "string" && /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/])/.test(url))
    return;
  const reason = "Expected a base64-encoded data URL with an image MIME type, or an http or https URL";
  yield { param: `${place}.image_url`, message: `Invalid '${place}.image_url'. ${reason}.`, code: "invalid_value" };
}

function* checkFile(
  { file_data: data, file_id: id, file_url: url, filename }: JsonObject,
  place: string,
): Generator<Problem> {
  if (typeof id === "string" || typeof url === "string") return;
  if (typeof data !== "string") return yield missing(`${place}.file_data`);
  if (typeof filename !== "string") yield missing(`${place}.filename`);
  if (!data.startsWith("data:")) yield invalid(`${place}.file_data`, "expected a data URL with a MIME type");
}
