import { hashText } from "@tinyagents/core";

/** The longest id of a tool call that both APIs take. */
const LONGEST_ID = 40;

/** An id as the server takes it. Ids of other providers can be longer; the same id always becomes the same. */
export function wireId(id: string): string {
  return id.length <= LONGEST_ID && id !== "" ? id : `call_${hashText(id)}${hashText(`${id} `)}`;
}

/** An id as Mistral takes it: nine letters and digits. @see https://docs.mistral.ai/api/ */
export function nineLetterId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  const hash = BigInt(`0x${hashText(id)}${hashText(`${id} `)}`);
  return hash.toString(36).padStart(9, "0").slice(-9);
}
