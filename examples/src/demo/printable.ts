/** Text without characters that would command the terminal or turn its lines around: files and models may hold anything. */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach the terminal
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    "",
  );
}

/** The same as one line: what is said in it cannot begin a line of its own. */
export function printableLine(text: string): string {
  return printable(text.replace(/\s+/g, " "));
}
