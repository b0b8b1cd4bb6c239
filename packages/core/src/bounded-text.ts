/** The longest message of an error that is told to anybody, in characters. */
export const LONGEST_MESSAGE = 4_000;

/** A text of at most `longest` characters: of a longer one the beginning, and a note of how long it was. */
export function boundedText(text: string, longest: number = LONGEST_MESSAGE): string {
  if (text.length <= longest) return text;
  const note = ` [cut: ${text.length} characters]`;
  return `${firstCharacters(text, Math.max(0, longest - note.length))}${note}`;
}

/** The first `length` units of a text, or one fewer: a cut never splits a character of two units. */
export function firstCharacters(text: string, length: number): string {
  const unit = text.charCodeAt(length - 1);
  return text.slice(0, unit >= 0xd800 && unit <= 0xdbff ? length - 1 : length);
}
