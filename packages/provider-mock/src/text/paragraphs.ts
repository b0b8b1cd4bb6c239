/** A paragraph, a list item or a row of a table. */
export interface Paragraph {
  /** The heading it stands under; empty when there is none. */
  readonly heading: string;
  readonly text: string;
  readonly isRow: boolean;
}

/** Paragraphs, list items and table rows of plain text or Markdown, without code. */
export function readParagraphs(text: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let heading = "";
  let isRow = false;
  let lines: string[] = [];
  let inCode = false;
  const close = (): void => {
    if (lines.length > 0) paragraphs.push({ heading, text: plain(lines.join(" ")), isRow });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const fence = /^\s*(?:```|~~~)/.test(line);
    if (fence) inCode = !inCode;
    const title = inCode ? null : /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
    const opens = /^\s*(?:[-*+•]\s+|\d+[.)]\s+|\|\s*)/.exec(line);
    if (fence || inCode || title !== null || line.trim() === "" || opens !== null) close();
    if (fence || inCode) continue;
    if (lines.length === 0) isRow = opens?.[0].includes("|") === true;
    if (title !== null) heading = plain(title[1] ?? "");
    else if (opens !== null && tableRule(line)) dropHeader(paragraphs);
    else if (opens !== null) lines = [line.slice(opens[0].length)];
    else if (line.trim() !== "") lines.push(line.trim());
  }
  close();
  return paragraphs;
}

/** The row above the rule of a table names its columns, and says nothing by itself. */
function dropHeader(paragraphs: Paragraph[]): void {
  if (paragraphs.at(-1)?.isRow === true) paragraphs.pop();
}

function tableRule(line: string): boolean {
  return /^[\s|:-]+$/.test(line);
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|__/g, "")
    .replace(/\s*\|\s*$/, "")
    .replace(/\s*\|\s*/g, " – ")
    .replace(/\s+/g, " ")
    .trim();
}

/** A text, sentence by sentence. */
export function splitSentences(text: string): string[] {
  return text
    .split(
      /(?<=[.!?]["”')]*)(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e)\.)\s+(?=["“'([`]*[\p{Lu}\p{N}])|(?<=[。！？])/u,
    )
    .filter((each) => each.trim() !== "");
}
