import { hashText } from "@tinyagents/core";

/** @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls */
const TAKEN_AS_IT_IS = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * The id of a tool call as the server takes it. Ids of other providers can have other characters and be longer; the same
 * id always becomes the same, so calls stay paired with their results and prompts stay the same.
 */
export function wireId(id: string): string {
  return TAKEN_AS_IT_IS.test(id) ? id : `toolu_${hashText(id)}${hashText(`${id} `)}`;
}
