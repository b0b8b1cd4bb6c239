import { hashText } from "@tinyagents/core";

/** The longest id of a tool call that both APIs take. */
const LONGEST_ID = 40;

/** An id as the server takes it. Ids of other providers can be longer; the same id always becomes the same. */
export function wireId(id: string): string {
  return id.length <= LONGEST_ID && id !== "" ? id : `call_${hashText(id)}${hashText(`${id} `)}`;
}
