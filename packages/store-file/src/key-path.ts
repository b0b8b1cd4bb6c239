import type { StoreKey } from "@tinyagents/core";

/** Each takes at most six characters: with the mark, a piece stays below the 255 that file systems take. */
const MOST_UNITS = 40;
/** Ends the folder of a piece that the name goes on behind. */
const GOES_ON = "+";
/** Names that Windows keeps for devices, also with an ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/;
const SAFE = /^[a-z0-9_-]$/;

/** One folder of a key's path: a whole name, or a piece of one that is too long for one folder. */
export interface KeyPiece {
  readonly text: string;
  /** Whether the name goes on in the folder below. */
  readonly goesOn: boolean;
}

/** The folders of a key, from the top. */
export function piecesOf(key: StoreKey): readonly KeyPiece[] {
  return key.flatMap((name) => {
    const pieces: KeyPiece[] = [];
    for (let at = 0; at < name.length; at += MOST_UNITS)
      pieces.push({ text: name.slice(at, at + MOST_UNITS), goesOn: at + MOST_UNITS < name.length });
    return pieces;
  });
}

/**
 * The name of a piece's folder: one that every file system takes, also one that takes `A` for `a` or joins accents, and that
 * is reserved nowhere. Small letters, digits, `-` and `_` stand for themselves, as do dots between them; each other UTF-16
 * code unit is `%` and its number.
 */
export function folderName({ text, goesOn }: KeyPiece): string {
  const isDevice = DEVICE.test(text);
  let name = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    const isInnerDot = char === "." && i > 0 && i < text.length - 1;
    const standsForItself = isInnerDot || SAFE.test(char);
    name += standsForItself && !(isDevice && i === 0) ? char : escaped(text.charCodeAt(i));
  }
  return goesOn ? name + GOES_ON : name;
}

/** The piece whose folder has this name; nothing for a name that is none of ours. */
export function pieceOfFolder(folder: string): KeyPiece | undefined {
  const goesOn = folder.endsWith(GOES_ON);
  const text = folder.slice(0, goesOn ? -1 : undefined).replace(/%u([0-9a-f]{4})|%([0-9a-f]{2})/g, (_, long, short) => {
    return String.fromCharCode(Number.parseInt((long ?? short) as string, 16));
  });
  const fits = goesOn ? text.length === MOST_UNITS : text !== "" && text.length <= MOST_UNITS;
  return fits && folderName({ text, goesOn }) === folder ? { text, goesOn } : undefined;
}

/** The order of folders that gives keys in theirs: a name ends before the longer ones that start with it. */
export function comparePieces(one: KeyPiece, other: KeyPiece): number {
  if (one.text !== other.text) return one.text < other.text ? -1 : 1;
  return Number(one.goesOn) - Number(other.goesOn);
}

function escaped(unit: number): string {
  return unit < 0x100 ? `%${unit.toString(16).padStart(2, "0")}` : `%u${unit.toString(16).padStart(4, "0")}`;
}
