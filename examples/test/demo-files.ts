/** A small folder of documents, and a question that it answers with two tool calls. */
export const FILES = {
  "oars.md": "# Oars\n\nAn oar is made of ash. A broken oar is replaced by the harbour master.",
  "sails.md": "# Sails\n\nA torn sail is mended within a day.",
};
export const QUESTION = "Who replaces a broken oar?";

/** The lines in which the demo shows that a tool is called. */
export function toolCallsIn(stdout: string): readonly string[] {
  return stdout.split("\n").filter((line) => line.startsWith("> "));
}
